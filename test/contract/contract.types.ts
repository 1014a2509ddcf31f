/** Type-level tests: this file only has to compile; each @ts-expect-error is an assertion. */
import type { Contract, Operations } from "#contract/operations.ts";
import {
  type Answer,
  type EncodedPage,
  guessed,
  type Handlers,
  type Input,
  operation,
} from "#contract/service.ts";
import * as x from "#contract/xsd.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_T extends true>(): void => {};

is<
  Equal<
    keyof Operations,
    | "Subscriber.Add"
    | "Subscriber.AddwithBasicandCustoms"
    | "Subscriber.Remove"
    | "Subscriber.Unsubscribe"
    | "Field.Add"
    | "Field.GetFields"
    | "Client.GetSubscribersLists"
    | "Client.GetCampaignsList"
    | "Client.GetLastSentCampaign"
    | "Client.TestApiConnection"
    | "Campaign.GetSubscribersLists"
    | "Campaign.GetUnsubscribesList"
    | "Campaign.GetHardBouncesList"
    | "Subscriber.AddwithName"
    | "Subscriber.AddwithNameandCustoms"
  >
>();

// "Not given" is a value of its own for everything but an enumeration.
is<Equal<Input<Operations["Subscriber.Add"]>["SubscribersListID"], number | null>>();
is<Equal<Input<Operations["Subscriber.AddwithBasicandCustoms"]>["Birthday"], x.DateTime | null>>();
type Values = NonNullable<Input<Operations["Subscriber.AddwithBasicandCustoms"]>["CustomsFields"]>;
is<Equal<Values[number]["Customfieldid"], bigint | null>>();
type GivenType = Input<Operations["Field.Add"]>["dataType"];
is<Equal<GivenType extends string ? true : false, true>>();

// An operation with outcomes answers with one of its own, any other with its result.
is<Equal<Answer<Operations["Subscriber.Remove"]>, "Done" | "InvalidEmail" | "UnknownList" | "NotOnList">>();
is<Equal<Answer<Operations["Subscriber.Unsubscribe"]>, "Done" | "InvalidEmail">>();
is<Equal<Answer<Operations["Client.TestApiConnection"]>, boolean>>();
type LastSent = NonNullable<Answer<Operations["Client.GetLastSentCampaign"]>>;
is<Equal<LastSent["SentDate"], number | null>>();
is<Equal<LastSent["CreationDate"], number>>();

type All = Handlers<Contract, null>;
declare const good: All;
const { "Client.TestApiConnection": _, ...missing } = good;
// @ts-expect-error an operation without a handler
export const a: All = missing;
// @ts-expect-error a handler without an operation
export const b: All = { ...good, "Client.Ping": async () => true };
// @ts-expect-error an outcome that this operation does not declare
export const c: All["Subscriber.Remove"] = async () => "Blocked";
// @ts-expect-error a result of the wrong type
export const d: All["Client.TestApiConnection"] = async () => "true";
// @ts-expect-error a misspelt parameter
export const e: All["Subscriber.Add"] = async ({ Email: _email }) => "Done";
// @ts-expect-error a record without one of its fields
export const f: All["Field.GetFields"] = async () => [{ FieldId: 1n, Name: "n", IsPrivate: true }];
// @ts-expect-error a 64-bit id as a number
export const g: All["Field.GetFields"] = async () => [
  { FieldId: 1, Name: "n", IsPrivate: true, DataType: "DATE" },
];
// @ts-expect-error a nil where the operation does not allow one
export const h: All["Client.GetSubscribersLists"] = async () => null;

// Rows that write themselves are of texts and dateTimes only.
declare const preEncoded: { encode(): AsyncIterable<EncodedPage> };
export const bounces: All["Campaign.GetHardBouncesList"] = async () => preEncoded;
// @ts-expect-error records with a number and a boolean
export const fields: All["Field.GetFields"] = async () => preEncoded;
// @ts-expect-error records with a dateTime that may be missing
export const campaigns: All["Client.GetCampaignsList"] = async () => preEncoded;

export const declared = {
  doc: "",
  access: "read",
  shortNames: [guessed("X")],
  params: { Id: x.int },
  result: x.boolean,
} as const;
// @ts-expect-error an example that does not fit its own operation
export const i = operation({ ...declared, example: { input: { Id: "1" }, output: 1 } });
// @ts-expect-error an example with a parameter that there is not
export const j = operation({ ...declared, example: { input: { Ident: "1" }, output: true } });
export const k = operation({
  ...declared,
  // @ts-expect-error a note about a parameter that there is not
  notes: { Ident: "" },
  example: { input: { Id: "1" }, output: true },
});
