/** From the body of a request to a form. The body is in memory, and limited, before it gets here. */
import { Fault } from "#contract/faults.ts";
import { emptyForm, Form, type SentFile } from "./form.ts";

const is = (type: string, contentType: string): boolean =>
  contentType.split(";")[0]?.trim().toLowerCase() === type;

/**
 * Far more than any page has. Parsing takes more than twice as long for twice as many, and nothing else is
 * served meanwhile.
 */
export const MAX_FIELDS = 5000;
/** The lines before the content of a part. */
const MAX_HEADER_BYTES = 8192;

const tooLarge = (): Fault =>
  new Fault("TooLarge", `The form has more than ${MAX_FIELDS} fields, or too long names of fields.`);

/** `begins`: what stands before each field. Returns where. Throws TooLarge. */
function placesOf(begins: string, body: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = body.indexOf(begins); at !== -1; at = body.indexOf(begins, at + begins.length)) {
    places.push(at);
    if (places.length > MAX_FIELDS) throw tooLarge();
  }
  return places;
}

function requireShortHeaders(body: Buffer, contentType: string): void {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  for (const at of placesOf(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`, body)) {
    const rest = body.subarray(at, at + MAX_HEADER_BYTES);
    if (rest.length === MAX_HEADER_BYTES && !rest.includes("\r\n\r\n")) throw tooLarge();
  }
}

/** Throws InvalidMessage, UnsupportedMediaType and TooLarge. */
export async function readForm(body: Buffer | undefined, contentType: string): Promise<Form> {
  if (body === undefined || body.length === 0) return emptyForm;
  if (is("application/x-www-form-urlencoded", contentType)) {
    placesOf("&", body);
    return new Form(new URLSearchParams(body.toString()));
  }
  if (is("multipart/form-data", contentType)) {
    requireShortHeaders(body, contentType);
    return await readParts(body, contentType);
  }
  throw new Fault("UnsupportedMediaType", "The request must be sent by a form of this page.");
}

async function readParts(body: Buffer, contentType: string): Promise<Form> {
  const texts: [string, string][] = [];
  const files = new Map<string, SentFile>();
  for (const [name, value] of await parts(body, contentType)) {
    if (typeof value === "string") texts.push([name, value]);
    // A browser sends a file without name and bytes if none was chosen.
    else if (value.name !== "" || value.size > 0)
      files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return new Form(texts, files);
}

async function parts(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "Content-Type": contentType } }).formData();
  } catch {
    throw new Fault(
      "InvalidMessage",
      "The form could not be read. Open the page again and send it once more.",
    );
  }
}
