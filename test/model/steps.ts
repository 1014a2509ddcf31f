/** Random lives of an account: who asks for what, after another or at once. Few people, lists and moments, so that they meet. */
import fc from "fast-check";
import { emails, patterns } from "./addresses.ts";
import type { CallerCommand, Data, Interrupting, Lone } from "./command.ts";
import { countries, genders, givenValues, types } from "./values.ts";

/** Callers' commands at once, and perhaps one that comes in between; or one alone. */
export type Step =
  | { readonly together: readonly CallerCommand[]; readonly between: Interrupting | null }
  | { readonly alone: Lone };

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const asked = {
  at: fc.nat(5).map((seconds) => NOW + seconds * 1000),
  origin: fc.constantFrom<CallerCommand["origin"]>(
    { kind: "operator" },
    { kind: "key", key: 7 },
    { kind: "link" },
    { kind: "bounce" },
  ),
};
const about = { ...asked, email: fc.constantFrom(...emails) };
/** The first two are there from the start, a third may be made. */
const list = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 3);
const nameOf = fc.constantFrom("Newsletter", "news", "Größe", "GRÖSSE", "größe", "x");
const text = fc.constantFrom(null, "", " ", "Ada", "O'Brien & <Söhne>", "😀");

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
/** Most calls are sound. */
const soundData = fc.record({
  firstName: text,
  lastName: text,
  gender: fc.constantFrom(null, "m"),
  birthday: fc.constantFrom(null, "2026-11-14"),
  countryNumber: fc.constantFrom(null, 32),
  values: fc.array(fc.record({ field: fc.constant(0), value: fc.constantFrom(...givenValues) }), {
    maxLength: 2,
  }),
});

const kind = <const Kind extends string>(name: Kind) => fc.constant(name);
const call: fc.Arbitrary<CallerCommand> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ ...about, kind: kind("add"), list }) },
  {
    weight: 6,
    arbitrary: fc.record({ ...about, kind: kind("add-with-data"), list, data: fc.oneof(data, soundData) }),
  },
  { weight: 5, arbitrary: fc.record({ ...about, kind: kind("remove"), list }) },
  { weight: 3, arbitrary: fc.record({ ...about, kind: kind("unsubscribe") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...about,
      kind: kind("reactivate"),
      fact: fc.constantFrom("unsubscribed", "bounced", "complained"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...about,
      kind: kind("event"),
      campaign: fc.nat(2),
      event: fc.constantFrom("hard-bounce", "unsubscribe", "complaint"),
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
);

const interrupting: fc.Arbitrary<Interrupting> = fc.oneof(
  fc.record({ ...asked, kind: kind("block"), pattern: fc.constantFrom(...patterns) }),
  fc.record({ ...asked, kind: kind("unblock"), pattern: fc.constantFrom(...patterns) }),
  fc.record({
    kind: kind("limit"),
    subscribers: fc.option(fc.nat(6)),
    fields: fc.option(fc.nat(4)),
  }),
  fc.record({ kind: kind("rename-list"), list, name: nameOf }),
);
const lone: fc.Arbitrary<Lone> = fc.oneof(
  fc.record({ ...asked, kind: kind("create-list"), name: nameOf }),
  fc.record({ ...asked, kind: kind("delete-list"), list }),
  fc.record({ ...asked, kind: kind("record-campaign"), lists: fc.array(list, { maxLength: 3 }) }),
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
/** Limits and blocks do most while everybody is still unknown. */
const first: fc.Arbitrary<Step> = fc.record({ together: fc.constant([]), between: interrupting });
export const lives: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(first, { maxLength: 4, size: "max" }),
    fc.array(step, { minLength: 1, maxLength: 14, size: "max" }),
  )
  .map(([before, then]) => [...before, ...then]);

const start = { at: NOW, origin: { kind: "operator" } } as const;
/** What an account has before anybody asks for anything: something of everything. */
export const beginnings: readonly Step[] = [
  { alone: { ...start, kind: "create-list", name: "First" } },
  { alone: { ...start, kind: "create-list", name: "Second" } },
  { alone: { ...start, kind: "record-campaign", lists: [1, 0] } },
  { together: [{ ...start, kind: "add-field", name: "Note", type: "STRING" }], between: null },
];
