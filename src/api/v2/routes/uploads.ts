/** Files that are sent in parts, to be imported. */
import { Type } from "typebox";
import {
  appendPart,
  createUpload,
  deleteUpload,
  findUpload,
  finishUpload,
  listUploads,
  readUploadFrom,
} from "#admin/uploads.ts";
import { MAX_PART_BYTES, type Upload } from "#domain/import/upload.ts";
import { idsOf, route, streamRoute } from "../kit/route.ts";
import { Id, Input, Named, Nullable, noReply, pageOfFew, Time, written } from "../kit/schemas.ts";

const Bytes = (description: string) => Type.Integer({ minimum: 0, description });
const UploadSchema = Named("Upload", {
  id: Id(),
  fileName: Type.String(),
  size: Bytes("How many bytes have arrived. The next part must begin at this offset."),
  expectedSize: Nullable(
    Bytes("The size of the whole file that was announced when the upload was begun; null: none was."),
  ),
  createdAt: Time(),
  lastUsedAt: Time("An upload is deleted a day after its last use."),
  finishedAt: Nullable(Time("null: the upload is not finished, and parts may follow.")),
  importId: Nullable(Id("The import whose rejected rows it contains; null: a client has sent it.")),
});
const toUpload = ({ name, usedAt, rejectedBy, ...upload }: Upload) =>
  written({ ...upload, fileName: name, lastUsedAt: usedAt, importId: rejectedBy });
/** Of rejected rows. */
export const spreadsheetSafe = Type.Optional(
  Type.Boolean({
    description:
      "Whether cells of rejected rows that begin with =, +, - or @ get a ' in front, so that spreadsheets do not treat them as formulas. An import of the file removes it.",
    default: true,
  }),
);
const NOTHING = new Uint8Array();

export const uploadRoutes = [
  route("GET /accounts/{account}/uploads", {
    summary: "List the uploads of an account",
    description: "Newest first. An account has at most 100 uploads.",
    action: listUploads,
    ...pageOfFew(UploadSchema, toUpload),
  }),
  route("POST /accounts/{account}/uploads", {
    summary: "Begin an upload",
    description:
      "Then send the file in parts, and finish the upload. A user has at most 20 uploads in an account; an upload is deleted when it was imported, or a day after its last use.",
    action: createUpload,
    body: Input({
      fileName: Type.String({ examples: ["members.csv"] }),
      expectedSize: Type.Optional(Bytes("The size of the whole file in bytes, if you know it.")),
    }),
    args: ({ params, body: { fileName, expectedSize = null } }) => ({
      ...params,
      name: fileName,
      size: expectedSize,
    }),
    inputs: { name: "fileName", size: "expectedSize" },
    status: 201,
    reply: UploadSchema,
    answer: toUpload,
  }),
  route("GET /accounts/{account}/uploads/{upload}", {
    summary: "Show an upload",
    action: findUpload,
    reply: UploadSchema,
    answer: toUpload,
  }),
  route("PUT /accounts/{account}/uploads/{upload}/content", {
    summary: "Send the next part of an upload",
    description:
      "The body has the bytes, as `application/octet-stream`, at most 4 MiB. If the connection breaks, send the same part again, or continue at the `size` of the upload.",
    action: appendPart,
    query: Type.Object({
      offset: Type.Integer({
        minimum: 0,
        description:
          "The position in the file at which this part begins. It must be the end of the parts that have arrived.",
      }),
    }),
    takesBytes: true,
    bodyLimit: MAX_PART_BYTES,
    args: ({ params, query: { offset }, body }) => ({
      ...idsOf(params),
      offset,
      bytes: body instanceof Uint8Array ? body : NOTHING,
    }),
    reply: Type.Object({ size: Bytes("How many bytes have arrived.") }),
    answer: ({ size }) => ({ size }),
  }),
  route("POST /accounts/{account}/uploads/{upload}/finish", {
    summary: "Finish an upload",
    description:
      "Send this after the last part. From then on, the upload can be imported and no longer changed.",
    action: finishUpload,
    body: Input({
      sha256: Type.Optional(
        Type.String({
          pattern: "^[0-9a-fA-F]{64}$",
          description:
            "The SHA-256 of the whole file, in hexadecimal digits. The upload is finished only if the bytes that arrived have the same hash.",
        }),
      ),
    }),
    args: ({ params, body: { sha256 = null } }) => ({ ...idsOf(params), sha256 }),
    reply: UploadSchema,
    answer: toUpload,
  }),
  streamRoute("GET /accounts/{account}/uploads/{upload}/content", {
    summary: "Download the bytes of an upload",
    description:
      "For example, to get the rows that a dry run rejected: the result of its job has the id of the upload that contains them. A file that a client has sent is returned as it is. Rejected rows can be read from an `offset` only with `spreadsheetSafe=false`.",
    action: readUploadFrom,
    query: Type.Object({
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "The position of the first byte to return. If it is not given: 0.",
        }),
      ),
      spreadsheetSafe,
    }),
    args: ({ params, query: { offset = 0, spreadsheetSafe: isSafe = true } }) => ({
      ...{ ...idsOf(params), from: offset, isUnchanged: !isSafe },
    }),
    inputs: { from: "offset" },
    contentType: "application/octet-stream",
    stream: ({ upload, chunks }) => ({ fileName: `upload-${upload.id}.csv`, chunks }),
  }),
  route("DELETE /accounts/{account}/uploads/{upload}", {
    summary: "Delete an upload",
    action: deleteUpload,
    ...noReply,
  }),
];
