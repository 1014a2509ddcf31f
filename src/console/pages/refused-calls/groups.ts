/** What pages about groups of refused calls share: reasons, advice, and the group in an address. */
import { meaningOf } from "#admin/error-texts.ts";
import { findKey, listKeys } from "#admin/keys/keys.ts";
import type { KeyId } from "#domain/access/key.ts";
import { NO_KEY, type RefusalGroup } from "#domain/refused-call.ts";
import type { Html } from "#html/html.ts";
import { goneAsNull, NoSuchPage } from "../../kit/errors.ts";
import { allRows, withQuery } from "../../kit/listing.ts";
import { linkTo, objectLinks } from "../../kit/object-links.ts";
import type { PageContext } from "../../kit/page.ts";
import { nameOf } from "../integrations/key-names.ts";

interface Reason {
  readonly title: string;
  /** What to do about one call. */
  readonly advice: string;
}
const reasons: Readonly<Record<string, Reason>> = {
  InvalidEmail: {
    title: "The e-mail address is not valid",
    advice:
      "Correct the address and replay the call. If nobody knows the right address, dismiss the call. Many such calls mean that a form lets any text through.",
  },
  UnknownList: {
    title: "The list does not exist",
    advice:
      "Choose the list that is meant, for one call or for all, and replay. Then change the id in the program, or its next calls are refused, too.",
  },
  InvalidFieldName: {
    title: "The name of the field is not valid",
    advice: "Shorten the name to 100 characters without line breaks and replay the call.",
  },
  UnknownField: {
    title: "A custom field does not exist",
    advice:
      "Choose the field that is meant, for one call or for all, or create the field first. Then replay, and change the id in the program.",
  },
  InvalidValue: {
    title: "A value does not fit",
    advice:
      "A custom value does not match the type of its field, a name is too long, or the gender, birthday or country is not valid. Correct the value and replay the call.",
  },
  Blocked: {
    title: "The address is blocked",
    advice:
      "The address or its domain is on the block list, or its owner reported spam. Usually that is as it should be: dismiss the call. To let the address in, remove the block, then replay the call.",
  },
  Unsubscribed: {
    title: "The person has unsubscribed",
    advice:
      "The person does not want any mail, so the call was rightly refused: dismiss it. Only if the person asks to come back, reactivate them on their own page, then replay the call.",
  },
  Bounced: {
    title: "The address has bounced",
    advice:
      "Mail to this address came back for good. If the address works again, reactivate the person on their own page and replay the call. Otherwise dismiss it.",
  },
  LimitReached: {
    title: "The limit of the account is reached",
    advice:
      "The account has as many active subscribers or fields as it may have. Ask an administrator for a higher limit, then replay the whole group.",
  },
  NotOnList: {
    title: "The address is not on that list",
    advice: "Nothing had to be removed, so nothing needs to be done.",
  },
  FieldExists: {
    title: "The field exists already",
    advice: "Nothing had to be created, so nothing needs to be done.",
  },
};
const reasonOf = (outcome: string): Reason | undefined =>
  Object.hasOwn(reasons, outcome) ? reasons[outcome] : undefined;
export const reasonTitle = (outcome: string): string => reasonOf(outcome)?.title ?? outcome;
export const reasonAdvice = (outcome: string): string => reasonOf(outcome)?.advice ?? meaningOf(outcome);

/** The integrations behind refused calls, by name. */
type InAccount = PageContext<"/{account}">;

/** Of the keys of the account; of an account with very many keys, of the first ones. */
export async function keyNames(context: Pick<InAccount, "performHere">): Promise<ReadonlyMap<KeyId, string>> {
  const rows = await allRows(context, listKeys);
  return new Map(rows.map((key) => [key.id, nameOf(key)]));
}

export async function keyName(
  { performHere }: Pick<InAccount, "performHere">,
  key: KeyId | null,
): Promise<ReadonlyMap<KeyId, string>> {
  if (key === null || key === NO_KEY) return new Map();
  const found = await performHere(findKey, { id: key }).catch(goneAsNull);
  return new Map(found === null ? [] : [[key, nameOf(found)]]);
}

export const keyText = (names: ReadonlyMap<KeyId, string>, key: KeyId | null): string =>
  key === null || key === NO_KEY ? "Unknown" : (names.get(key) ?? `Key ${String(key)}`);

export const keyLink = (
  context: Pick<PageContext, "link">,
  names: ReadonlyMap<KeyId, string>,
  key: KeyId | null,
): Html | string => {
  const text = keyText(names, key);
  return key === null || key === NO_KEY ? text : linkTo(objectLinks(context).key(key), text);
};

/** Instead of the id of a key. */
const NONE = "none";

/** A row of the groups has the key null if it is not known; in a group that means any key. */
export const groupOf = ({ operation, outcome, key }: RefusalGroup): RefusalGroup => ({
  operation,
  outcome,
  key: key ?? NO_KEY,
});

const queryOf = ({ operation, outcome, key }: RefusalGroup): Readonly<Record<string, string | null>> => ({
  operation,
  outcome,
  key: key === null ? null : key === NO_KEY ? NONE : String(key),
});

/** `below`: a page of the group, such as `/replay`. */
export const groupLink = (
  { link }: Pick<PageContext, "link">,
  group: RefusalGroup,
  below = "",
  more: Readonly<Record<string, string | null>> = {},
): string => withQuery(link(`/refused-calls/group${below}`), { ...queryOf(group), ...more });

/** Only the calls of this key; null: of any. Throws NoSuchPage if the address names something else. */
export function keyIn({ query }: Pick<PageContext, "query">): KeyId | null {
  const key = query.get("key");
  if (key && key !== NONE && !/^\d{1,15}$/.test(key)) throw new NoSuchPage();
  return !key ? null : key === NONE ? NO_KEY : Number(key);
}

/** Throws NoSuchPage if the address names no group. */
export function groupIn(context: Pick<PageContext, "query">): RefusalGroup {
  const [operation, outcome] = ["operation", "outcome"].map((name) => context.query.get(name));
  if (!operation || !outcome) throw new NoSuchPage();
  return { operation, outcome, key: keyIn(context) };
}
