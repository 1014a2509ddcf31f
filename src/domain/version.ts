/**
 * Versions: whether a thing is still as a client has read it. The version of a thing is a short hash of the
 * values that a user can change, so a counter that moves or a call that changes nothing does not make a new
 * one. A command that expects a version compares it in its own transaction.
 */
import { hash } from "node:crypto";
import { type ApiKey, changeableKey } from "./access/key.ts";
import type { User } from "./access/user.ts";
import { type Account, type AccountId, changeableAccount } from "./account.ts";
import { type Campaign, changeableCampaign } from "./campaign.ts";
import { changeableField, type Field, type FieldId } from "./field/field.ts";
import { basicNames } from "./field/value-rules.ts";
import { changeableList, type List } from "./list.ts";
import { VersionConflict } from "./ports/errors.ts";
import { type CampaignContent, contentNames } from "./sending/mailing.ts";
import { changeableSender, type Sender } from "./sending/sender.ts";
import type { BasicData } from "./subscriber/subscriber.ts";

/** What of a subscriber a correction can change. */
export interface CorrectableValues {
  readonly address: string;
  readonly data: BasicData;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

/** What of a user others can change. */
export type ManagedUser = Pick<User, "name" | "isAdministrator" | "disabledAt" | "roles">;

/** What of a campaign that is composed here can be changed before it is sent. */
export type NamedContent = CampaignContent & Pick<Campaign, "name">;

interface Versioned {
  readonly account: Account;
  readonly key: ApiKey;
  readonly list: List;
  readonly field: Field;
  readonly campaign: Campaign;
  readonly "campaign content": NamedContent;
  readonly sender: Sender;
  readonly subscriber: CorrectableValues;
  readonly user: ManagedUser;
}
export type VersionedThing = keyof Versioned;
/** Things that consist of named values. */
type Named = Omit<Versioned, "subscriber">;

/** Secrets are not among them. The audit log has the same ones, and more of a user. */
export const changeable = {
  account: changeableAccount,
  key: changeableKey,
  list: changeableList,
  field: changeableField,
  campaign: changeableCampaign,
  "campaign content": ["name", ...contentNames],
  sender: changeableSender,
  user: ["name", "isAdministrator", "disabledAt", "roles"],
} as const satisfies { readonly [T in keyof Named]: readonly (keyof Named[T])[] };

/**
 * A user as seen in one account; null: in the installation. Roles in other accounts do not change the version
 * there: it would tell an owner about them.
 */
export const userWithin = <Row extends ManagedUser>(user: Row, within: AccountId | null): Row =>
  within === null ? user : { ...user, roles: user.roles.filter(({ account }) => account === within) };

const isNamed = (thing: string): thing is keyof Named => Object.hasOwn(changeable, thing);

/** 96 bits: enough to tell apart the versions of one thing. */
const LENGTH = 16;
const shortHash = (values: readonly unknown[]): string =>
  hash("sha256", JSON.stringify(values), "base64url").slice(0, LENGTH);

function valuesOf<T extends keyof Named>(thing: T, value: Named[T]): readonly unknown[] {
  const names: readonly string[] = changeable[thing];
  return names.map((name) => value[name as keyof Named[T]]);
}

function subscriberValues({ address, data, values }: CorrectableValues): readonly unknown[] {
  const basics = basicNames.map((name) => data[name] ?? "");
  // The order of fields follows their creation where a record is shown.
  const custom = values.map(({ field, value }): [string, string] => [String(field), value]).sort(byField);
  return [address, basics, custom];
}
const byField = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
  one < other ? -1 : 1;

/** The same for the same values, on every node and in every database. */
export const versionOf = <T extends VersionedThing>(thing: T, value: Versioned[T]): string =>
  shortHash([
    thing,
    isNamed(thing)
      ? valuesOf(thing, value as Named[typeof thing])
      : subscriberValues(value as CorrectableValues),
  ]);

/**
 * Throws VersionConflict if a version is expected and the thing has another one, has none, or does not exist.
 */
export function requireVersion(
  expected: readonly string[] | undefined,
  thing: string,
  value: object | null,
): void {
  if (expected === undefined) return;
  const isVersioned = isNamed(thing) || thing === "subscriber";
  if (isVersioned && value !== null && expected.includes(versionOf(thing, value as never))) return;
  throw new VersionConflict(
    `the ${thing} was changed since you read it; read it again, then repeat the change`,
  );
}
