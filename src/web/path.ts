/**
 * The path of a route, written as in OpenAPI, such as `/accounts/{account}/lists/{list}`. The names of its
 * parameters decide what they are: ids, never an address or a name.
 */
import { type TObject, type TSchema, Type } from "typebox";
import { NotFound } from "#admin/kit/errors.ts";
import type { KeyId } from "#domain/access/key.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { SessionId, TokenId } from "#domain/access/session.ts";
import type { UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { UploadId } from "#domain/import/upload.ts";
import type { JobId } from "#domain/job/job.ts";
import type { ListId } from "#domain/list.ts";
import type { RefusalId } from "#domain/refused-call.ts";
import type { SenderId } from "#domain/sending/sender.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";

/** Every parameter that a path may have. */
interface PathIds {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly field: FieldId;
  readonly import: ImportId;
  readonly job: JobId;
  readonly key: KeyId;
  readonly list: ListId;
  readonly refusedCall: RefusalId;
  readonly sender: SenderId;
  readonly session: SessionId;
  readonly subscriber: SubscriberId;
  readonly upload: UploadId;
  readonly token: TokenId;
  readonly user: UserId;
  /** The number of a version. */
  readonly version: number;
}
type Name = keyof PathIds;

/** The names between braces in a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer First}}${infer Rest}`
  ? First | NamesIn<Rest>
  : never;
/** Does not compile if the path has a parameter that is not in `PathIds`. */
export type ParamsOf<Path extends string> = { readonly [N in NamesIn<Path>]: PathIds[N & Name] };

/** All digits of an id that a JavaScript number holds exactly. */
export const NUMBER = "^[1-9][0-9]{0,14}$";
/** Of an id of 64 bits. */
export const WIDE = "^-?[1-9][0-9]{0,18}$";
const isWide = (name: string): boolean => name === "field";

/** What is not called as its parameter is. */
const things: Partial<Record<string, string>> = { key: "API key", refusedCall: "refused call" };

const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

export function paramsSchema(path: string): TObject {
  const schemaOf = (name: string): TSchema =>
    Type.String({
      pattern: isWide(name) ? WIDE : NUMBER,
      description: `The id of the ${things[name] ?? name}.`,
    });
  return Type.Object(Object.fromEntries(namesIn(path).map((name) => [name, schemaOf(name)])));
}

/** Whether all parameters look like ids: what `paramsSchema` says, for pages that are not validated. */
export const areIds = (path: string, given: Readonly<Record<string, string>>): boolean =>
  namesIn(path).every((name) => new RegExp(isWide(name) ? WIDE : NUMBER).test(given[name] ?? ""));

/** Throws NotFound: there is no field with an id of more than 64 bits. */
const readWide = (text: string): bigint => {
  const id = BigInt(text);
  if (BigInt.asIntN(64, id) === id) return id;
  throw new NotFound("field", text);
};
/** The ids in a request that has been validated. */
export const readParams = <Path extends string>(
  path: Path,
  given: Readonly<Record<string, string>>,
): ParamsOf<Path> =>
  Object.fromEntries(
    namesIn(path).map((name) => {
      const text = given[name] ?? "0";
      return [name, isWide(name) ? readWide(text) : Number(text)];
    }),
  ) as ParamsOf<Path>;

/**
 * As fastify writes it. A verb such as that of `subscribers:search` begins with a colon, which is doubled.
 */
export const fastifyPath = (path: string): string =>
  path.replaceAll(":", "::").replaceAll(/\{(\w+)\}/g, ":$1");
