/** The integrations behind refused calls, by name. */
import { findKey, listKeys } from "#admin/keys/keys.ts";
import { NotFound } from "#admin/kit/errors.ts";
import type { ApiKey, KeyId } from "#domain/access/key.ts";
import { NO_KEY } from "#domain/refusal.ts";
import type { Html } from "#html/html.ts";
import { linkTo, objectLinks } from "../../kit/addresses/object-links.ts";
import { allRows } from "../../kit/all-rows.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./refused-calls.texts.ts";

type InAccount = Visit<"/{account}">;

const named = ({ label, hint }: ApiKey): string => (label === "" ? `${hint}…` : label);

/** Of the keys of the account; of an account with very many keys, of the first ones. */
export async function keyNames(
  visit: Pick<InAccount, "perform" | "account">,
): Promise<ReadonlyMap<KeyId, string>> {
  const rows = await allRows(visit, listKeys, { account: visit.account.id });
  return new Map(rows.map((key) => [key.id, named(key)]));
}

/** Of one key. */
export async function keyName(
  { perform, account }: Pick<InAccount, "perform" | "account">,
  key: KeyId | null,
): Promise<ReadonlyMap<KeyId, string>> {
  if (key === null || key === NO_KEY) return new Map();
  try {
    return new Map([[key, named(await perform(findKey, { account: account.id, id: key }))]]);
  } catch (error) {
    if (error instanceof NotFound) return new Map();
    throw error;
  }
}

export const keyText = (names: ReadonlyMap<KeyId, string>, key: KeyId | null): string =>
  key === null || key === NO_KEY ? texts.unknownKey : (names.get(key) ?? texts.keyNumber(String(key)));

export const keyLink = (
  visit: Pick<Visit, "link">,
  names: ReadonlyMap<KeyId, string>,
  key: KeyId | null,
): Html | string => {
  const text = keyText(names, key);
  return key === null || key === NO_KEY ? text : linkTo(objectLinks(visit).key(key), text);
};
