/**
 * Random sequences of commands, sequential or concurrent. Few subscribers, lists and times, so that they
 * collide.
 */
import fc from "fast-check";
import { emails, NAMES_BOB, patterns, people, soundEmails } from "./addresses.ts";
import type { CallerCommand, Correction, Data, Import, Interrupting, Row, Standalone } from "./command.ts";
import { countries, genders, givenValues, types } from "./values.ts";

/** Concurrent callers' commands and perhaps an interrupting one; or one command alone. */
export type Step =
  | { readonly together: readonly CallerCommand[]; readonly between: Interrupting | null }
  | { readonly alone: Standalone };

export const NOW = Date.UTC(2026, 10, 14, 9, 30);
const moment = fc.nat(5).map((seconds) => NOW + seconds * 1000);
const asked = {
  at: moment,
  origin: fc.constantFrom<CallerCommand["origin"]>(
    { kind: "operator" },
    { kind: "key", key: 7 },
    { kind: "link" },
    { kind: "bounce" },
  ),
};
const about = { ...asked, email: fc.constantFrom(...emails) };
/** The first two lists exist from the start; a third may be created. */
const list = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 3);
const everybody = people.map(({ key }) => key);
const blockable = everybody.filter((key) => patterns.includes(key));
const nameOf = fc.constantFrom("Newsletter", "news", "Größe", "GRÖSSE", "größe", "x");
const text = fc.constantFrom(null, "", " ", "Ada", "O'Brien & <Söhne>", "😀", NAMES_BOB);

const data: fc.Arbitrary<Data> = fc.record({
  firstName: text,
  lastName: text,
  gender: fc.constantFrom(null, "", ...Object.keys(genders)),
  birthday: fc.constantFrom(null, null, "1815-12-10", "2026-11-14", "2026-11-15"),
  countryNumber: fc.constantFrom(null, null, ...countries.keys()),
  values: fc.array(
    fc.record({
      field: fc.oneof({ weight: 5, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.constant(null) }),
      value: fc.constantFrom(...givenValues),
    }),
    { maxLength: 3 },
  ),
});
/** Most calls are valid. */
const validData = fc.record({
  firstName: text,
  lastName: text,
  gender: fc.constantFrom(null, "m"),
  birthday: fc.constantFrom(null, "2026-11-14"),
  countryNumber: fc.constantFrom(null, 32),
  values: fc.array(fc.record({ field: fc.constant(0), value: fc.constantFrom(...givenValues) }), {
    maxLength: 2,
  }),
});

/** What a row says of a subscriber; most often only the address. */
const told = {
  email: fc.constantFrom(...soundEmails),
  joinedAt: fc.option(moment),
};
const someSuppressions = fc.oneof(
  ...(["unsubscribed", "bounced", "complained"] as const).map((suppression) =>
    moment.map((at): Row["suppressions"] => ({ [suppression]: at })),
  ),
);
const row: fc.Arbitrary<Row> = fc.record({
  ...told,
  isDuplicate: fc.constantFrom(false, false, false, true),
  suppressions: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.tuple(someSuppressions, someSuppressions).map(([one, other]) => ({ ...one, ...other })),
    },
  ),
  data: fc.record(
    { firstName: fc.constantFrom("Ada", "Eva"), country: fc.constantFrom("AR", "DE") },
    { requiredKeys: [] },
  ),
  values: fc.uniqueArray(fc.record({ field: fc.nat(1), value: fc.constantFrom("two words ", "7.5") }), {
    maxLength: 2,
    selector: ({ field }) => field,
  }),
});
/** A suppressed address without other data. */
const suppressed: fc.Arbitrary<Row> = fc.record({
  email: told.email,
  joinedAt: fc.constant(null),
  suppressions: someSuppressions,
  isDuplicate: fc.constant(false),
  data: fc.constant({}),
  values: fc.constant([]),
});
const taken = {
  at: moment,
  origin: fc.constant({ kind: "import", batch: null } as const),
  overwrite: fc.constantFrom(false, false, true),
  kind: fc.constant("import" as const),
};
const imported: fc.Arbitrary<Import> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...taken, list, rows: fc.array(row, { maxLength: 5 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...taken, list: fc.constant(null), rows: fc.array(suppressed, { maxLength: 4 }) }),
  },
);

const kind = <const Kind extends string>(name: Kind) => fc.constant(name);
export const call: fc.Arbitrary<CallerCommand> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ ...about, kind: kind("add"), list }) },
  {
    weight: 4,
    arbitrary: fc.record({ ...about, kind: kind("add"), list, status: fc.constant("pending" as const) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ ...about, kind: kind("add-with-data"), list, data: fc.oneof(data, validData) }),
  },
  { weight: 5, arbitrary: fc.record({ ...about, kind: kind("remove"), list }) },
  { weight: 3, arbitrary: fc.record({ ...about, kind: kind("unsubscribe") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...about,
      kind: kind("reactivate"),
      suppression: fc.constantFrom("unsubscribed", "bounced", "complained"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...about,
      kind: kind("event"),
      campaign: fc.nat(2),
      event: fc.constantFrom("bounced", "unsubscribed", "complained"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...asked,
      kind: kind("add-field"),
      name: fc.option(nameOf),
      type: fc.constantFrom(...types),
    }),
  },
  { weight: 3, arbitrary: imported },
);

const correction: fc.Arbitrary<Correction> = fc.record({
  ...asked,
  kind: kind("correct"),
  email: fc.constantFrom(...soundEmails),
  to: fc.option(fc.constantFrom(...soundEmails)),
  data: fc.record(
    {
      firstName: fc.constantFrom("", "Ada", "Eva"),
      gender: fc.constantFrom(null, "F" as const),
      country: fc.constantFrom(null, "AR"),
    },
    { requiredKeys: [] },
  ),
  values: fc.array(fc.record({ field: fc.constant(0), value: fc.constantFrom("", "two words ") }), {
    maxLength: 1,
  }),
});

export const interrupting: fc.Arbitrary<Interrupting> = fc.oneof(
  correction,
  fc.record({ ...asked, kind: kind("block"), pattern: fc.constantFrom(...patterns) }),
  fc.record({ ...asked, kind: kind("unblock"), pattern: fc.constantFrom(...patterns) }),
  fc.record({ ...asked, kind: kind("erase"), key: fc.constantFrom(...blockable, ...everybody) }),
  fc.record({
    kind: kind("limit"),
    subscribers: fc.option(fc.nat(6)),
    fields: fc.option(fc.nat(4)),
  }),
  fc.record({ kind: kind("rename-list"), list, name: nameOf }),
);
const lone: fc.Arbitrary<Standalone> = fc.oneof(
  // No membership can end before its list exists.
  fc.record({ ...asked, at: fc.constant(NOW), kind: kind("create-list"), name: nameOf }),
  fc.record({ ...asked, kind: kind("delete-list"), list }),
  fc.record({
    ...asked,
    kind: kind("record-campaign"),
    lists: fc.array(list, { maxLength: 3 }),
    sentAt: fc.option(moment),
  }),
  imported,
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      together: fc.array(call, { minLength: 1, maxLength: 8 }),
      between: fc.constant(null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ together: fc.array(call, { maxLength: 6 }), between: interrupting }),
  },
  { weight: 1, arbitrary: fc.record({ alone: lone }) },
);
/** Limits and blocks have the most effect while there are no subscribers. */
const first: fc.Arbitrary<Step> = fc.record({ together: fc.constant([]), between: interrupting });
export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(first, { maxLength: 4, size: "max" }),
    fc.array(step, { minLength: 1, maxLength: 14, size: "max" }),
  )
  .map(([before, then]) => [...before, ...then]);

const start = { at: NOW, origin: { kind: "operator" } } as const;
/** The initial content of an account: one of each kind. */
export const firstSteps: readonly Step[] = [
  { alone: { ...start, kind: "create-list", name: "First" } },
  { alone: { ...start, kind: "create-list", name: "Second" } },
  { alone: { ...start, kind: "record-campaign", lists: [1, 0], sentAt: NOW } },
  { together: [{ ...start, kind: "add-field", name: "Note", type: "STRING" }], between: null },
];
