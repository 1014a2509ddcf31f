/**
 * What every client is taken through: all operations, each with what it answers, refuses and faults with.
 * Described once, as data; the clients only carry it out. The database it runs on is made from the same
 * records (template.ts).
 *
 * A value is the text that it has on the wire, whatever a client makes of it; dates are compared to the
 * second, because some clients know nothing finer.
 */
import type { FaultCode } from "#contract/faults.ts";
import type { Operations } from "#contract/operations.ts";

export type OperationName = keyof Operations;
export type Row = Readonly<Record<string, string>>;
export type Result = string | Row | readonly Row[] | null;
export type Expected =
  | { readonly result: Result }
  /** The text must mention these words. */
  | { readonly fault: FaultCode; readonly mentions: string };

/** Values of the wrong type, which some clients cannot send. */
export type Oddity = "a non-numeric string for a number" | "an unknown enumeration value";

export interface Step {
  readonly operation: OperationName;
  readonly what: string;
  readonly key: string;
  /** Text by parameter; `CustomsFields` is id=value|id=value. */
  readonly parameters: Row;
  readonly expected: Expected;
  /** Set where the step sends what some clients cannot. */
  readonly oddity: Oddity | null;
}

export const NAME = 'José Ñandú <ñ@example.org> & "co"';
export const EMOJI = "Zoë 😀 𝒵";
/** The next integer that a 64-bit floating point number cannot hold. */
export const LARGE_ID = "9007199254740993";
/** The key of the samples, so that they work as they stand on the help pages. */
export const KEY = "0123456789ABCDEF0123456789ABCDEF";
export const KEY_OF_ONE = "ONE-OF-EVERYTHING";
export const KEY_OF_NONE = "NOTHING-AT-ALL";
const BAD_KEY = "FEDCBA9876543210FEDCBA9876543210";

export const START = "2026-01-05T08:00:00Z";
export const MANY = 5000;

const list = (SubscribersListID: string, Name: string, SubscribersQuantity: string): Row => ({
  SubscribersListID,
  Name,
  CreationDate: START,
  SubscribersQuantity,
});
export const lists = {
  main: [list("1", "Newsletter", "2"), list("2", NAME, "1")],
  one: list("3", EMOJI, "0"),
} as const;

const field = (FieldId: string, Name: string, IsPrivate: string, DataType: string): Row => ({
  FieldId,
  Name,
  IsPrivate,
  DataType,
});
export const fields = {
  main: [field("1", "Town", "false", "STRING"), field(LARGE_ID, NAME, "true", "STRING")],
  one: field("2", EMOJI, "false", "GDPR"),
} as const;

const campaign = (CampaignID: string, Name: string, CreationDate: string, SentDate?: string): Row => ({
  CampaignID,
  Name,
  CreationDate,
  ...(SentDate === undefined ? {} : { SentDate }),
});
export const campaigns = {
  /** 1 lost many, 2 lost one person each way, 3 was not sent and went nowhere. */
  main: [
    campaign("1", NAME, "2026-03-02T08:00:00Z", "2026-03-03T07:15:00Z"),
    campaign("2", EMOJI, "2026-02-02T08:00:00Z", "2026-02-03T07:15:00Z"),
    campaign("3", "Draft", "2026-04-01T08:00:00Z"),
  ],
  one: campaign("4", "Only one", "2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z"),
} as const;

const person = (EMail: string, FirstName: string, LastName: string, UnsubscribedDate: string): Row => ({
  FirstName,
  LastName,
  EMail,
  SubscribedDate: START,
  UnsubscribedDate,
});
export const lost = {
  unsubscribed: [
    person("jose@example.org", NAME, EMOJI, "2026-03-03T10:04:05Z"),
    person("nobody@example.org", "", "", "2026-03-03T10:04:06Z"),
    person("zoe@example.org", EMOJI, "O'Brien", "2026-03-03T10:04:07Z"),
  ],
  unsubscribedOne: person("one@example.org", "Ada", "Lovelace", "2026-02-03T10:00:00Z"),
  bounced: Array.from({ length: MANY }, (_, n) =>
    person(
      `p${n}@example.org`,
      `First ${n}`,
      NAME,
      new Date(Date.UTC(2026, 2, 3, 8, 0, n)).toISOString().replace(".000", ""),
    ),
  ),
  bouncedOne: person("bounced@example.org", EMOJI, NAME, "2026-02-03T08:00:00Z"),
} as const;
/** Active members of list 1, list 1 and list 2. */
export const members = [
  ["stays@example.org", 1],
  ["stays-too@example.org", 1],
  ["stays@example.org", 2],
] as const;

/** What must be known in the end of the person whom the steps add with data. */
export const stored = {
  email: "data@example.org",
  data: { firstName: NAME, lastName: EMOJI, gender: "F", birthday: "1985-12-10", country: "GB" },
  values: [
    { field: { id: "1" }, value: EMOJI },
    { field: { id: LARGE_ID }, value: NAME },
  ],
} as const;

class Steps {
  readonly all: Step[] = [];

  answers(operation: OperationName, what: string, parameters: Row, result: Result, key = KEY): this {
    return this.#add({ operation, what, key, parameters, expected: { result } });
  }
  faults(
    operation: OperationName,
    what: string,
    parameters: Row,
    fault: FaultCode,
    mentions: string,
    key = KEY,
  ): this {
    return this.#add({ operation, what, key, parameters, expected: { fault, mentions } });
  }
  badKey(operation: OperationName, parameters: Row): this {
    return this.faults(operation, "bad key", parameters, "InvalidApiKey", "key", BAD_KEY);
  }
  badType(operation: OperationName, parameters: Row, parameter: string, oddity: Oddity): this {
    const odd = { ...parameters, [parameter]: "seven" };
    const expected = { fault: "InvalidParameter", mentions: parameter } as const;
    return this.#add({ operation, what: "bad type", key: KEY, parameters: odd, expected, oddity });
  }
  wordForNumber(operation: OperationName, parameters: Row, parameter: string): this {
    return this.badType(operation, parameters, parameter, "a non-numeric string for a number");
  }
  #add(step: Omit<Step, "oddity"> & Partial<Step>): this {
    this.all.push({ oddity: null, ...step });
    return this;
  }
}

const to = (EMail: string, SubscribersListID = "1"): Row => ({ SubscribersListID, EMail });
const of = (CampaignID: string): Row => ({ CampaignID });
const newField = (fieldName: string): Row => ({ fieldName, isPrivate: "true", dataType: "STRING" });
/** The one number among the data is not a thing that typed clients can leave out. */
const noCustoms = { ...to(stored.email), CountryID: "0" };
const named: Row = { SubscribersListID: "1", FirstName: "Grace", LastName: NAME, EMail: "grace@example.org" };
const data: Row = {
  SubscribersListID: "1",
  FirstName: NAME,
  LastName: EMOJI,
  EMail: stored.email,
  CustomsFields: `${LARGE_ID}=${NAME}|1=${EMOJI}`,
  Gender: "F",
  Birthday: "1985-12-10",
  CountryID: "826",
};

export const steps: readonly Step[] = new Steps()
  .answers("Client.TestApiConnection", "success", {}, "true")
  .answers("Client.TestApiConnection", "bad key", {}, "false", BAD_KEY)

  .answers("Field.GetFields", "none", {}, [], KEY_OF_NONE)
  .answers("Field.GetFields", "one", {}, [fields.one], KEY_OF_ONE)
  .answers("Field.GetFields", "many", {}, fields.main)
  .badKey("Field.GetFields", {})

  .answers("Client.GetSubscribersLists", "none", {}, [], KEY_OF_NONE)
  .answers("Client.GetSubscribersLists", "one", {}, [lists.one], KEY_OF_ONE)
  .answers("Client.GetSubscribersLists", "many", {}, lists.main)
  .badKey("Client.GetSubscribersLists", {})

  .answers("Client.GetCampaignsList", "none", {}, [], KEY_OF_NONE)
  .answers("Client.GetCampaignsList", "one", {}, [campaigns.one], KEY_OF_ONE)
  .answers("Client.GetCampaignsList", "many, one without SentDate", {}, [
    campaigns.main[2],
    campaigns.main[0],
    campaigns.main[1],
  ])
  .badKey("Client.GetCampaignsList", {})

  .answers("Client.GetLastSentCampaign", "none", {}, null, KEY_OF_NONE)
  .answers("Client.GetLastSentCampaign", "one", {}, campaigns.main[0])
  .badKey("Client.GetLastSentCampaign", {})

  .answers("Campaign.GetSubscribersLists", "none", of("3"), [])
  .answers("Campaign.GetSubscribersLists", "one", of("2"), [lists.main[0]])
  .answers("Campaign.GetSubscribersLists", "many", of("1"), lists.main)
  .faults("Campaign.GetSubscribersLists", "unknown campaign", of("99"), "UnknownCampaign", "99")
  .wordForNumber("Campaign.GetSubscribersLists", of("1"), "CampaignID")
  .badKey("Campaign.GetSubscribersLists", of("1"))

  .answers("Campaign.GetUnsubscribesList", "none", of("3"), [])
  .answers("Campaign.GetUnsubscribesList", "one", of("2"), [lost.unsubscribedOne])
  .answers("Campaign.GetUnsubscribesList", "many", of("1"), lost.unsubscribed)
  .faults("Campaign.GetUnsubscribesList", "unknown campaign", of("99"), "UnknownCampaign", "99")
  .wordForNumber("Campaign.GetUnsubscribesList", of("1"), "CampaignID")
  .badKey("Campaign.GetUnsubscribesList", of("1"))

  .answers("Campaign.GetHardBouncesList", "none", of("3"), [])
  .answers("Campaign.GetHardBouncesList", "one", of("2"), [lost.bouncedOne])
  .answers("Campaign.GetHardBouncesList", "5,000", of("1"), lost.bounced)
  .faults("Campaign.GetHardBouncesList", "unknown campaign", of("99"), "UnknownCampaign", "99")
  .wordForNumber("Campaign.GetHardBouncesList", of("1"), "CampaignID")
  .badKey("Campaign.GetHardBouncesList", of("1"))

  .answers("Field.Add", "success", newField(EMOJI), "0")
  .answers("Field.GetFields", "the new one", {}, [...fields.main, field("3", EMOJI, "true", "STRING")])
  .answers("Field.Add", "refusal 255, it exists", newField(NAME), "255")
  .answers("Field.Add", "refusal 254, empty name", newField(""), "254")
  .badType("Field.Add", newField("Colour"), "dataType", "an unknown enumeration value")
  .badKey("Field.Add", newField("Colour"))

  .answers("Subscriber.Add", "success", to("ada@example.org"), "0")
  .answers("Subscriber.Add", "refusal 1, no address", to("nonsense"), "1")
  .answers("Subscriber.Add", "refusal 101, unknown list", to("ada@example.org", "99"), "101")
  .answers("Subscriber.Add", "refusal 206, opted out", to("jose@example.org"), "206")
  .answers("Subscriber.Add", "refusal 207, bounced", to("bounced@example.org"), "207")
  .wordForNumber("Subscriber.Add", to("ada@example.org"), "SubscribersListID")
  .badKey("Subscriber.Add", to("ada@example.org"))

  .answers("Subscriber.AddwithBasicandCustoms", "success", data, "0")
  .answers("Subscriber.AddwithBasicandCustoms", "nulls left out", noCustoms, "0")
  .answers(
    "Subscriber.AddwithBasicandCustoms",
    "refusal 252, unknown field",
    { ...noCustoms, CustomsFields: "9007199254740992=x" },
    "252",
  )
  .answers(
    "Subscriber.AddwithBasicandCustoms",
    "refusal 253, unknown gender",
    { ...noCustoms, Gender: "?" },
    "253",
  )
  .wordForNumber("Subscriber.AddwithBasicandCustoms", noCustoms, "CountryID")
  .badKey("Subscriber.AddwithBasicandCustoms", data)

  .answers("Subscriber.AddwithName", "success", named, "0")
  .answers(
    "Subscriber.AddwithName",
    "refusal 101, unknown list",
    { ...named, SubscribersListID: "99" },
    "101",
  )
  .answers(
    "Subscriber.AddwithName",
    "data stays",
    { ...named, EMail: stored.email, FirstName: NAME, LastName: EMOJI },
    "0",
  )
  .badKey("Subscriber.AddwithName", named)
  .answers("Subscriber.AddwithNameandCustoms", "success", { ...named, CustomsFields: `1=${EMOJI}` }, "0")
  .answers(
    "Subscriber.AddwithNameandCustoms",
    "refusal 252, unknown field",
    { ...named, CustomsFields: "99=x" },
    "252",
  )
  .badKey("Subscriber.AddwithNameandCustoms", named)

  .answers("Subscriber.Remove", "success", to("ada@example.org"), "0")
  .answers("Subscriber.Remove", "refusal 202, not on the list", to("ada@example.org"), "202")
  .wordForNumber("Subscriber.Remove", to("ada@example.org"), "SubscribersListID")
  .badKey("Subscriber.Remove", to("ada@example.org"))

  .answers("Subscriber.Unsubscribe", "success", { EMail: "ada@example.org" }, "0")
  .answers("Subscriber.Unsubscribe", "refusal 1, no address", { EMail: "nonsense" }, "1")
  .answers("Subscriber.Add", "refusal 206, it opted out", to("ada@example.org"), "206")
  .badKey("Subscriber.Unsubscribe", { EMail: "ada@example.org" }).all;
