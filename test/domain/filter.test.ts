import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DataType, dataTypes, type Field } from "#domain/field/field.ts";
import {
  type Condition,
  checkedCondition,
  conditionText,
  type Facts,
  type FilterTest,
  filterTests,
  matcherOf,
  readCondition,
  testsOf,
} from "#domain/subscriber/filter.ts";

const facts: Facts = {
  ...{ firstName: "Zoë", lastName: "", country: "DE", joined: "2026-03-01" },
  values: new Map([
    ["1", "Bad Homburg"],
    ["2", "12.5"],
    ["3", "1990-05-17"],
    ["4", "true"],
    ["7", " Bath "],
    ["8", " "],
  ]),
  received: new Set([7]),
};
const types = new Map<string, DataType>([
  ["1", "STRING"],
  ["2", "REAL"],
  ["3", "DATE"],
  ["4", "BOOLEAN"],
  ["5", "STRING"],
  ["6", "REAL"],
  ["7", "STRING"],
  ["8", "STRING"],
  ["9", "DATE"],
]);
const known = { types, campaigns: new Set([7, 8]) };
const [town, points, birthday, vip, empty, noPoints, padded, blank, noDate] = [...types.keys()].map(
  (field) => ({ field }),
);
const got = { campaign: 7 };
const missed = { campaign: 8 };

type Case = readonly [about: Condition["about"] | undefined, test: FilterTest, value: string, holds: boolean];
const cases: readonly Case[] = [
  ["first name", "is", "ZOË", true],
  ["first name", "is", "zoe", false],
  ["first name", "is", "Zoe\u0308", true],
  ["first name", "is not", "Ada", true],
  ["last name", "is empty", "", true],
  ["last name", "is not", "Smith", true],
  ["country", "is", "DE", true],
  ["country", "is not", "DE", false],
  ["joined", "is before", "2026-03-01", false],
  ["joined", "is on or after", "2026-03-01", true],
  ["joined", "is", "2026-03-01", true],
  [town, "contains", "homb", true],
  [town, "starts with", "bad ", true],
  [town, "is not empty", "", true],
  [points, "is less than", "100", true],
  [points, "is less than", "12.5", false],
  [points, "is at least", "12.50", true],
  [points, "is", "12.5", true],
  [points, "is at least", "9", true],
  [birthday, "is before", "1990-05-18", true],
  [noDate, "is before", "1990-05-18", false],
  [noDate, "is on or after", "1990-05-18", false],
  [vip, "is", "true", true],
  [empty, "is empty", "", true],
  [empty, "contains", "x", false],
  [padded, "is", "bath", true],
  [blank, "is empty", "", true],
  [blank, "is not empty", "", false],
  [noPoints, "is less than", "100", false],
  [noPoints, "is at least", "0", false],
  [noPoints, "is not", "5", true],
  [got, "received", "", true],
  [got, "not received", "", false],
  [missed, "not received", "", true],
];

test("each test compares a value as its type is compared", () => {
  for (const [about, word, value, holds] of cases) {
    assert.ok(about);
    const type = typeof about === "object" && "field" in about ? (types.get(about.field) ?? null) : null;
    const condition = checkedCondition({ about, test: word, value }, type);
    assert.ok(!("problem" in condition), JSON.stringify([about, word, value]));
    assert.equal(matcherOf([condition], known)(facts), holds, JSON.stringify([about, word, value]));
  }
  const tested = new Set(cases.map(([, word]) => word));
  assert.deepEqual(
    filterTests.filter((word) => !tested.has(word)),
    [],
  );
});

test("a field is compared in the ways that its type allows", () => {
  const equal = ["is", "is not"];
  const kinds = {
    text: [...equal, "contains", "starts with"],
    number: [...equal, "is less than", "is at least"],
    date: [...equal, "is before", "is on or after"],
    word: equal,
  };
  const kindsOfTypes: Readonly<Record<DataType, keyof typeof kinds>> = {
    ...{ STRING: "text", ORIGIN: "text", EMAIL: "text", PHONE: "text" },
    ...{ REAL: "number", SCORE: "number", DATE: "date", GENDER: "word", COUNTRY: "word" },
    ...{ BOOLEAN: "word", CONSENT: "word", PERMISSION: "word", GDPR: "word" },
  };
  for (const type of dataTypes)
    assert.deepEqual(
      testsOf({ field: "1" }, type),
      [...kinds[kindsOfTypes[type]], "is empty", "is not empty"],
      type,
    );
});

test("all conditions must hold", () => {
  const holds: Condition = { about: "country", test: "is", value: "DE" };
  const fails: Condition = { about: "country", test: "is", value: "FR" };
  assert.equal(matcherOf([holds, holds], known)(facts), true);
  assert.equal(matcherOf([holds, fails], known)(facts), false);
  assert.equal(matcherOf([], known)(facts), true);
});

test("a condition about something that is gone holds for nobody, also if it says that something is not so", () => {
  const gone: readonly Condition[] = [
    { about: { field: "99" }, test: "is empty", value: "" },
    { about: { field: "99" }, test: "is not", value: "x" },
    { about: { campaign: 99 }, test: "not received", value: "" },
  ];
  for (const condition of gone) assert.equal(matcherOf([condition], known)(facts), false);
});

describe("what is typed", () => {
  const problem = (condition: Condition, type: DataType | null): string => {
    const checked = checkedCondition(condition, type);
    assert.ok("problem" in checked);
    return checked.problem;
  };

  test("is stored as values of the type are stored", () => {
    const stored = (about: Condition["about"], value: string, type: DataType | null) =>
      checkedCondition({ about, test: "is", value }, type);
    assert.deepEqual(stored("country", " deu ", null), { about: "country", test: "is", value: "DE" });
    assert.deepEqual(stored({ field: "4" }, "yes", "BOOLEAN"), {
      about: { field: "4" },
      test: "is",
      value: "true",
    });
    assert.deepEqual(stored({ field: "2" }, "007.50", "REAL"), {
      about: { field: "2" },
      test: "is",
      value: "7.5",
    });
    const atExample: Condition = { about: { field: "5" }, test: "contains", value: "@Example" };
    assert.deepEqual(checkedCondition(atExample, "EMAIL"), atExample);
    assert.deepEqual(checkedCondition({ about: "country", test: "is empty", value: "x" }, null), {
      ...{ about: "country", test: "is empty", value: "" },
    });
  });

  test("is refused with what would be right", () => {
    assert.match(problem({ about: "joined", test: "is before", value: "yesterday" }, null), /2026-11-14/);
    assert.match(problem({ about: "country", test: "is", value: "Atlantis" }, null), /DE/);
    assert.match(problem({ about: "country", test: "contains", value: "D" }, null), /is, is not/);
    assert.match(problem({ about: { field: "2" }, test: "is at least", value: "many" }, "REAL"), /4\.5/);
    assert.match(problem({ about: "first name", test: "is", value: " " }, null), /1 to 200/);
    assert.match(problem({ about: "first name", test: "is", value: "x".repeat(201) }, null), /1 to 200/);
    assert.match(problem({ about: { campaign: 7 }, test: "is", value: "x" }, null), /received/);
  });
});

test("what a condition is written as is read as the same condition", () => {
  const field = (id: number, name: string): Field => ({
    ...{ id: BigInt(id), name, type: "STRING", isPrivate: false, createdAt: 0 },
  });
  const fields = [field(1, "Town"), field(2, "Town is"), field(3, "country code"), field(4, "joined")];
  const subjects: readonly Condition["about"][] = [
    ...(["first name", "last name", "country"] as const),
    ...[{ field: "1" }, { field: "2" }, { field: "3" }],
    { campaign: 12 },
  ];
  for (const about of subjects)
    for (const word of testsOf(about, "STRING")) {
      const condition = checkedCondition({ about, test: word, value: "DE" }, "STRING");
      assert.ok(!("problem" in condition));
      assert.deepEqual(readCondition(conditionText(condition, fields), fields), condition);
    }
  assert.equal(
    conditionText({ about: { field: "1" }, test: "is empty", value: "" }, fields),
    "Town is empty",
  );
  assert.equal(conditionText({ about: { field: "99" }, test: "is", value: "x" }, fields), "field 99 is x");
  const named = { about: { campaign: 12 }, test: "not received", value: "" } as const;
  const campaigns = [{ id: 12, name: "Spring (2026) received" }];
  const shown = conditionText(named, fields, campaigns);
  assert.equal(shown, "campaign 12 (Spring (2026) received) not received");
  assert.deepEqual(readCondition(shown, fields), named);
  assert.deepEqual(readCondition("joined is before 2026-01-01", fields)?.about, "joined");
  assert.deepEqual(readCondition("field 4 is x", fields)?.about, { field: "4" });
  for (const text of ["", "Town", "Village is x", "Townis x", "campaign is 5", "is x"])
    assert.equal(readCondition(text, fields), null, text);
});
