import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Origin } from "#domain/access/origin.ts";
import { parseAddress } from "#domain/address.ts";
import { type DataType, decideAddField } from "#domain/field/field.ts";
import { decideListDeletion } from "#domain/list-deletion.ts";
import { fingerprint, isNoOp } from "#domain/refused-call.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import { historyEntry } from "#domain/subscriber/history.ts";
import { type GivenData, lastOfEach } from "#domain/subscriber/person-data.ts";
import {
  type AddState,
  decideAdd,
  decideAddWithData,
  decideBlock,
  decideEvent,
  decideReactivate,
  decideRemove,
  decideUnsubscribe,
  type EventState,
  type ListState,
} from "#domain/subscriber/rules.ts";
import { noSuppressions, type Suppressions, stateOf } from "#domain/subscriber/subscriber.ts";
import { UNDO_MS } from "#domain/subscriber/undo.ts";
import { noData } from "../no-data.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const address = parseAddress("ada@example.org");
const cause = { at: NOW, origin: { kind: "key", key: 1 } } as const;
const add = { ...cause, address, list: 7 };
const known = (suppressions: Partial<Suppressions> = {}) => ({
  since: 5,
  suppressions: { ...noSuppressions, ...suppressions },
});
const unknown: AddState = {
  known: null,
  blockedAt: null,
  erased: null,
  listExists: true,
  membership: null,
  subscribers: 10,
  subscriberLimit: null,
};
const kinds = (changes: readonly SubscriberChange[]) => changes.map(({ kind }) => kind);

describe("the state is the first suppression in force", () => {
  const rows: readonly (readonly [Partial<Suppressions>, string])[] = [
    [{}, "active"],
    [{ bounced: 1 }, "bounced"],
    [{ bounced: 1, unsubscribed: 2 }, "unsubscribed"],
    [{ bounced: 1, unsubscribed: 2, complained: 3 }, "complained"],
    [{ bounced: 1, unsubscribed: 2, complained: 3, blocked: 4 }, "blocked"],
  ];
  for (const [suppressions, state] of rows)
    test(`${Object.keys(suppressions).join(" and ") || "none"}: ${state}`, () =>
      assert.equal(stateOf({ ...noSuppressions, ...suppressions }), state));
});

describe("an add", () => {
  test("creates a subscriber for a new address and adds it to the list", () =>
    assert.deepEqual(kinds(decideAdd(add, unknown).changes), ["create-subscriber", "join", "add-history"]));
  test("changes nothing if the address is already on the list", () =>
    assert.deepEqual(decideAdd(add, { ...unknown, known: known(), membership: "active" }), {
      outcome: "Done",
      changes: [],
    }));
  test("changes nothing if the membership is pending: only the person confirms it", () =>
    assert.deepEqual(decideAdd(add, { ...unknown, known: known(), membership: "pending" }), {
      outcome: "Done",
      changes: [],
    }));
  test("starts a pending membership that does not count, if the person has to confirm it", () => {
    const { changes } = decideAdd({ ...add, status: "pending" }, unknown);
    assert.deepEqual(changes[1], { kind: "join", list: 7, at: NOW, status: "pending", counted: false });
  });
  test("adds an existing subscriber to another list", () =>
    assert.deepEqual(kinds(decideAdd(add, { ...unknown, known: known() }).changes), ["join", "add-history"]));
  for (const [suppressions, outcome] of [
    [{ blocked: 1 }, "Blocked"],
    [{ complained: 1 }, "Blocked"],
    [{ unsubscribed: 1 }, "Unsubscribed"],
    [{ bounced: 1 }, "Bounced"],
    [{ bounced: 1, unsubscribed: 1 }, "Unsubscribed"],
    [{ complained: 1, unsubscribed: 1 }, "Blocked"],
  ] as const)
    test(`never clears ${Object.keys(suppressions).join(" and ")}`, () =>
      assert.deepEqual(decideAdd(add, { ...unknown, known: known(suppressions) }), { outcome, changes: [] }));
  test("is refused for a new address that a block covers", () =>
    assert.equal(decideAdd(add, { ...unknown, blockedAt: 3 }).outcome, "Blocked"));
  test("is refused at the limit for a new subscriber, not for an existing one", () => {
    const full = { ...unknown, subscriberLimit: 10 };
    assert.equal(decideAdd(add, full).outcome, "LimitReached");
    assert.equal(decideAdd(add, { ...full, subscribers: 9 }).outcome, "Done");
    assert.equal(decideAdd(add, { ...full, known: known() }).outcome, "Done");
  });
  test("returns the first refusal in order", () => {
    const bad = { ...unknown, listExists: false, known: known({ unsubscribed: 1 }), subscriberLimit: 1 };
    assert.equal(decideAdd({ ...add, address: null }, bad).outcome, "InvalidEmail");
    assert.equal(decideAdd(add, bad).outcome, "UnknownList");
    assert.equal(decideAdd(add, { ...bad, listExists: true }).outcome, "Unsubscribed");
  });
});

describe("an add with data", () => {
  const state = { ...unknown, country: "AR", fieldTypes: new Map([[9n, "REAL" as const]]) };
  const decide = (data: Partial<GivenData>, more: Partial<typeof state> = {}) =>
    decideAddWithData({ ...add, data: { ...noData, ...data } }, { ...state, ...more }, null);
  const described = (data: Partial<GivenData>) =>
    decide(data).changes.find((change) => change.kind === "describe")?.data;

  test("stores values in normalized form", () =>
    assert.deepEqual(
      described({ firstName: "Ada", gender: "female", birthday: "1985-12-10", countryNumber: 826 }),
      { firstName: "Ada", gender: "F", birthday: "1985-12-10", country: "GB" },
    ));
  test("never erases a value: absent, empty or blank values change nothing", () =>
    assert.equal(described({ firstName: "", lastName: "  ", gender: "" }), undefined));
  test("with a birthday in the future is refused; with today it is not", () => {
    assert.equal(decide({ birthday: "2026-11-15" }).outcome, "InvalidValue");
    assert.equal(decide({ birthday: "2026-11-14" }).outcome, "Done");
  });
  test("refuses an invalid gender, country or name", () => {
    assert.equal(decide({ gender: "w" }).outcome, "InvalidValue");
    assert.equal(decide({ countryNumber: 999 }).outcome, "InvalidValue");
    assert.equal(decide({ firstName: "x".repeat(1001) }).outcome, "InvalidValue");
  });
  test("uses the last of several values of one field", () => {
    const { changes } = decide({
      values: [
        { field: 9n, value: "not a number" },
        { field: 9n, value: "2.50" },
      ],
    });
    const set = changes.filter((change) => change.kind === "set-value");
    assert.deepEqual(
      set.map(({ value }) => value),
      ["2.5"],
    );
  });
  test("ignores an entry with neither id nor value, and refuses a value without an id", () => {
    assert.equal(decide({ values: [{ field: null, value: "" }] }).outcome, "Done");
    assert.equal(decide({ values: [{ field: null, value: "x" }] }).outcome, "UnknownField");
  });
  test("refuses an unknown id even with an empty value", () =>
    assert.equal(decide({ values: [{ field: 10n, value: "" }] }).outcome, "UnknownField"));
  test("returns 252 before 253 before the subscriber's state", () => {
    const values = [{ field: 9n, value: "x" }];
    const optedOut = { known: known({ unsubscribed: 1 }) };
    assert.equal(
      decide({ gender: "w", values: [{ field: 10n, value: "x" }] }, optedOut).outcome,
      "UnknownField",
    );
    assert.equal(decide({ values }, optedOut).outcome, "InvalidValue");
    assert.equal(decide({}, optedOut).outcome, "Unsubscribed");
  });
});

describe("a remove", () => {
  const state: ListState = {
    known: known(),
    blockedAt: null,
    erased: null,
    listExists: true,
    membership: "active",
  };
  test("ends the membership, which counted while the subscriber was active", () => {
    const { outcome, changes } = decideRemove(add, state);
    assert.equal(outcome, "Done");
    assert.deepEqual(changes[0], { kind: "leave", list: 7, at: add.at, counted: true });
  });
  test("ends a membership that an opt-out has suspended, which did not count", () =>
    assert.deepEqual(decideRemove(add, { ...state, known: known({ unsubscribed: 1 }) }).changes[0], {
      kind: "leave",
      list: 7,
      at: add.at,
      counted: false,
    }));
  test("checks address, list and membership in this order", () => {
    assert.equal(
      decideRemove({ ...add, address: null }, { ...state, listExists: false }).outcome,
      "InvalidEmail",
    );
    assert.equal(decideRemove(add, { ...state, listExists: false, membership: null }).outcome, "UnknownList");
    assert.equal(decideRemove(add, { ...state, membership: null }).outcome, "NotOnList");
    assert.equal(decideRemove(add, { ...state, known: null, membership: null }).outcome, "NotOnList");
  });
});

describe("custom values of one call", () => {
  const types = new Map<bigint, DataType>([
    [1n, "STRING"],
    [2n, "BOOLEAN"],
  ]);
  const decide = (values: GivenData["values"]) =>
    decideAddWithData(
      { ...add, data: { ...noData, values } },
      { ...unknown, fieldTypes: types, country: null },
      null,
    );

  test("are the last one of each field, without entries that have neither field nor value", () => {
    const repeated = Array.from({ length: 10_000 }, (_, n) => ({ field: BigInt(n % 2), value: `v${n}` }));
    assert.deepEqual(lastOfEach(repeated), repeated.slice(-2));
    const unnamed = [
      { field: null, value: "" },
      { field: null, value: "x" },
      { field: null, value: " " },
    ];
    assert.deepEqual(lastOfEach(unnamed), [{ field: null, value: "x" }]);
  });
  test("give the same decision with and without repeats", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            field: fc.constantFrom(null, 1n, 2n, 3n),
            value: fc.constantFrom(null, "", " ", "yes", "no", "text"),
          }),
          { maxLength: 6 },
        ),
        (values) => {
          const isUnknown = values.some(({ field, value }) =>
            field === null ? (value ?? "").trim() !== "" : !types.has(field),
          );
          const isInvalid = values.findLast(({ field }) => field === 2n)?.value === "text";
          const expected = isUnknown ? "UnknownField" : isInvalid ? "InvalidValue" : "Done";
          assert.equal(decide(values).outcome, expected);
          assert.deepEqual(decide(lastOfEach(values)), decide(values));
        },
      ),
    ));
});

describe("an opt-out", () => {
  test("of a new address is stored", () =>
    assert.deepEqual(kinds(decideUnsubscribe(add, unknown).changes), [
      "create-subscriber",
      "set-suppression",
      "add-history",
      "change-state",
    ]));
  test("repeated keeps the first date", () =>
    assert.deepEqual(
      decideUnsubscribe(add, { known: known({ unsubscribed: 1 }), blockedAt: null, erased: null }),
      {
        outcome: "Done",
        changes: [],
      },
    ));
  test("repeated by somebody else within ten minutes is recorded, so that an undo does not clear it", () => {
    const repeated = (since: number, origin: Origin = add.origin) =>
      decideUnsubscribe(
        { ...add, origin },
        { known: known({ unsubscribed: since }), blockedAt: null, erased: null },
      );
    assert.deepEqual(repeated(NOW - UNDO_MS + 1), {
      outcome: "Done",
      changes: [{ kind: "add-history", entry: historyEntry("unsubscribed", add), isAfterLink: true }],
    });
    assert.deepEqual(repeated(NOW - UNDO_MS).changes, []);
    for (const kind of ["link", "bounce"] as const) assert.deepEqual(repeated(NOW - 1, { kind }).changes, []);
    assert.deepEqual(repeated(NOW - 1, { kind: "import", batch: 1 }).changes, []);
  });
  test("is recorded beside another suppression, and changes the state if it has precedence", () =>
    assert.deepEqual(
      (["bounced", "complained"] as const).map((kind) =>
        decideUnsubscribe(add, { known: known({ [kind]: 1 }), blockedAt: null, erased: null }).changes.slice(
          2,
        ),
      ),
      [[{ kind: "change-state", at: add.at, from: "bounced", to: "unsubscribed" }], []],
    ));
});

describe("a reactivation", () => {
  const clear = { ...add, suppression: "unsubscribed", reason: "asked on the phone" } as const;
  test("of the only suppression restores the memberships", () =>
    assert.deepEqual(
      kinds(
        decideReactivate(clear, { known: known({ unsubscribed: 1 }), blockedAt: null, erased: null }).changes,
      ),
      ["clear-suppression", "add-history", "change-state"],
    ));
  test("of one of two suppressions leads to the other state", () =>
    assert.deepEqual(
      kinds(
        decideReactivate(clear, {
          known: known({ unsubscribed: 1, bounced: 1 }),
          blockedAt: null,
          erased: null,
        }).changes,
      ),
      ["clear-suppression", "add-history", "change-state"],
    ));
  test("is refused for an unknown subscriber or suppression", () => {
    assert.equal(decideReactivate(clear, unknown).outcome, "UnknownSubscriber");
    assert.equal(
      decideReactivate(clear, { known: known({ bounced: 1 }), blockedAt: null, erased: null }).outcome,
      "NotSuppressed",
    );
    assert.equal(decideReactivate({ ...clear, address: null }, unknown).outcome, "InvalidEmail");
  });
});

describe("a campaign's event", () => {
  const state: EventState = {
    known: known(),
    blockedAt: null,
    erased: null,
    campaignExists: true,
    isRecorded: false,
    earliestJoin: 77,
  };
  const event = (name: "bounced" | "unsubscribed" | "complained") => ({ ...add, campaign: 3, event: name });
  const lost = (changes: readonly SubscriberChange[]) =>
    changes.find((change) => change.kind === "add-campaign-event");

  test("uses the earliest join among the campaign's lists, otherwise the creation of the subscriber", () => {
    assert.equal(lost(decideEvent(event("unsubscribed"), state).changes)?.joinedAt, 77);
    assert.equal(
      lost(decideEvent(event("unsubscribed"), { ...state, earliestJoin: null }).changes)?.joinedAt,
      5,
    );
    assert.equal(
      lost(decideEvent(event("unsubscribed"), { ...state, known: null, earliestJoin: null }).changes)
        ?.joinedAt,
      NOW,
    );
  });
  test("that unsubscribes an unsubscribed address is not counted for another campaign", () =>
    assert.deepEqual(
      decideEvent(event("unsubscribed"), { ...state, known: known({ unsubscribed: 1 }) }).changes,
      [],
    ));
  test("that unsubscribes an address again within ten minutes is recorded, but not counted", () =>
    assert.deepEqual(
      kinds(
        decideEvent(event("unsubscribed"), { ...state, known: known({ unsubscribed: NOW - 1 }) }).changes,
      ),
      ["add-history"],
    ));
  test("that bounces again is counted for the second campaign too", () =>
    assert.deepEqual(
      kinds(decideEvent(event("bounced"), { ...state, known: known({ bounced: 1 }) }).changes),
      ["add-history", "add-campaign-event"],
    ));
  test("is recorded once per subscriber and campaign", () =>
    assert.deepEqual(
      decideEvent(event("bounced"), { ...state, isRecorded: true, known: known({ bounced: 1 }) }).changes,
      [],
    ));
  test("after a reactivation sets the suppression again without a second row", () =>
    assert.deepEqual(kinds(decideEvent(event("unsubscribed"), { ...state, isRecorded: true }).changes), [
      "set-suppression",
      "add-history",
      "change-state",
    ]));
  test("of an unknown campaign or a bad address changes nothing", () => {
    assert.equal(
      decideEvent(event("complained"), { ...state, campaignExists: false }).outcome,
      "UnknownCampaign",
    );
    assert.equal(decideEvent({ ...event("complained"), address: null }, state).outcome, "InvalidEmail");
  });
});

test("a deleted list ends a membership, which was counted only if the subscriber is active", () => {
  const list = { id: 7, name: "Old" };
  const left = {
    kind: "add-history",
    entry: historyEntry("left", cause, { list: 7, detail: 'the list "Old" was deleted' }),
  };
  assert.deepEqual(decideListDeletion(known(), "active", list, cause), [
    { kind: "leave", list: 7, at: cause.at, counted: true },
    left,
  ]);
  assert.deepEqual(decideListDeletion(known({ bounced: 1 }), "active", list, cause), [
    { kind: "leave", list: 7, at: cause.at, counted: false },
    left,
  ]);
});

test("a block suspends memberships once, and removing it restores them once", () => {
  assert.deepEqual(kinds(decideBlock(known(), true, "@x.org", cause)), [
    "set-suppression",
    "add-history",
    "change-state",
  ]);
  assert.deepEqual(decideBlock(known({ blocked: 1 }), true, "@x.org", cause), []);
  assert.deepEqual(decideBlock(known({ blocked: 1, bounced: 1 }), false, "@x.org", cause).slice(2), [
    { kind: "change-state", at: cause.at, from: "blocked", to: "bounced" },
  ]);
});

test("a field is refused by name, then by existence, then by limit", () => {
  const state = { exists: true, count: 3, limit: 3 };
  assert.equal(decideAddField(null, state).outcome, "InvalidFieldName");
  assert.equal(decideAddField("City", state).outcome, "FieldExists");
  assert.equal(decideAddField("City", { ...state, exists: false }).outcome, "LimitReached");
  assert.equal(decideAddField("City", { ...state, exists: false, limit: null }).outcome, "Done");
});

test("two refusals are the same if account, operation, arguments and outcome are equal", () => {
  const recordedCall = { operation: "Op", args: '{"a":"1"}', isCut: false };
  const print = fingerprint(1, recordedCall, "Blocked");
  assert.ok(fingerprint(1, { ...recordedCall }, "Blocked").equals(print));
  for (const other of [
    fingerprint(2, recordedCall, "Blocked"),
    fingerprint(1, { ...recordedCall, operation: "Other" }, "Blocked"),
    fingerprint(1, { ...recordedCall, args: "{}" }, "Blocked"),
    fingerprint(1, recordedCall, "Bounced"),
  ])
    assert.ok(!other.equals(print));
  assert.deepEqual(["NotOnList", "FieldExists", "Blocked"].map(isNoOp), [true, true, false]);
});
