/** What undoing an import does with one subscriber, and which imports can be undone. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { importedBits, noBasics } from "#domain/field/value-rules.ts";
import { type ImportBatch, noSubscriberCounts } from "#domain/import/batch.ts";
import { decideImport, type ImportState } from "#domain/import/rules.ts";
import {
  countUndo,
  decideUndo,
  noUndoCounts,
  type UndoState,
  undoableUntil,
  undoRefusal,
} from "#domain/import/undo.ts";
import { decideAdd } from "#domain/subscriber/rules.ts";
import { noSuppressions } from "#domain/subscriber/subscriber.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const DAY = 86_400_000;
const LIST = 7;
const cause = { at: NOW, origin: { kind: "operator", name: "ada" } } as const;
const undone = {
  import: 12,
  list: LIST,
  listExists: true,
  undone: new Set<number>(),
  others: [] as number[],
};
const CITY = 5n;

/** Created by the import, on its list, and nothing else. */
const created: UndoState = {
  known: { since: NOW, suppressions: noSuppressions },
  isCreated: true,
  membership: { status: "active", fromImport: { import: 12, confirmedBy: null } },
  isOnOtherLists: false,
  isInCampaign: false,
  basics: { ...noBasics, firstName: "Ada", imported: importedBits.firstName },
  values: new Map([[CITY, { value: "London", batch: 12 }]]),
  history: [{ kind: "joined", list: LIST, batch: 12, replaced: null }],
};
const existing: UndoState = {
  ...created,
  isCreated: false,
  history: [
    {
      kind: "changed",
      list: null,
      batch: 12,
      replaced: [
        { field: "firstName", old: "", new: "Ada" },
        { field: CITY, old: "Rome", new: "London", importedBy: 3 },
      ],
    },
    { kind: "joined", list: LIST, batch: 12, replaced: null },
  ],
};
const decide = (state: UndoState, more: Partial<typeof undone> = {}) =>
  decideUndo(state, { ...undone, ...more }, cause);
const kinds = (state: UndoState, more: Partial<typeof undone> = {}) =>
  decide(state, more).changes.map(({ kind }) => kind);

describe("undoing an import of a subscriber whom it created", () => {
  test("deletes the subscriber, who leaves the counters first", () => {
    assert.deepEqual(kinds(created), ["change-state", "delete-subscriber"]);
    assert.equal(decide(created).isDeleted, true);
  });

  const signs: readonly (readonly [string, Partial<UndoState>])[] = [
    ["is on another list", { isOnOtherLists: true }],
    ["has a value of a call", { values: new Map([[CITY, { value: "London", batch: null }]]) }],
    ["has a value of another import", { values: new Map([[CITY, { value: "London", batch: 13 }]]) }],
    ["has a name of a call", { basics: { ...created.basics, imported: 0 } }],
    [
      "has an entry of another origin",
      { history: [...created.history, { kind: "left", list: 8, batch: null, replaced: null }] },
    ],
  ];
  for (const [what, more] of signs)
    test(`keeps a subscriber who ${what}, but not on the list`, () => {
      const { isDeleted, isRemoved, stays } = decide({ ...created, ...more });
      assert.deepEqual([isDeleted, isRemoved, stays], [false, true, "changedSince"]);
    });

  test("keeps whoever opted out, and the opt-out", () => {
    for (const suppression of ["unsubscribed", "bounced", "complained"] as const) {
      const suppressions = { ...noSuppressions, [suppression]: NOW };
      const { stays, changes } = decide({ ...created, known: { since: NOW, suppressions } });
      assert.equal(stays, "optedOut");
      assert.ok(changes.every(({ kind }) => kind === "leave" || kind === "add-history"));
    }
  });

  test("deletes somebody who is blocked: the block stays", () => {
    const suppressions = { ...noSuppressions, blocked: NOW };
    const history = [
      ...created.history,
      { kind: "blocked", list: null, batch: null, replaced: null } as const,
    ];
    assert.equal(decide({ ...created, known: { since: NOW, suppressions }, history }).isDeleted, true);
  });

  test("leaves alone whom a call added since, and passes on whom a later import has", () => {
    const added = decide({ ...created, membership: { status: "active", fromImport: null } });
    assert.deepEqual([added.stays, added.changes, added.heir], ["addedSince", [], null]);
    const fromImport = { import: 12, confirmedBy: 14 };
    const later = decide({ ...created, membership: { status: "active", fromImport } });
    assert.deepEqual([later.stays, later.changes], ["addedSince", []]);
    assert.deepEqual(later.heir, { import: 14, confirmedBy: null });
    // Import 13 may have the member, too: only the latest one that confirms is recorded.
    const state = { ...created, membership: { status: "active", fromImport } } as const;
    assert.deepEqual(decide(state, { others: [14, 13, 3] }).heir, { import: 14, confirmedBy: 13 });
  });

  test("takes the removal together with the list for nothing that the subscriber did", () => {
    const history = [...created.history, { kind: "left", list: LIST, batch: null, replaced: null } as const];
    const state = { ...created, membership: null, history };
    assert.equal(decide(state).stays, "changedSince");
    assert.equal(decide(state, { listExists: false }).isDeleted, true);
  });

  test("keeps whoever left the list elsewhere, as the import itself says", () => {
    const history = [...created.history, { kind: "left", list: LIST, batch: 12, replaced: null } as const];
    const { isDeleted, stays } = decide({ ...created, membership: null, history });
    assert.deepEqual([isDeleted, stays], [false, "optedOut"]);
  });

  test("takes what an import left that was undone for nothing", () => {
    const entry = { kind: "changed", list: null, batch: 13, replaced: [] } as const;
    const state = { ...created, history: [...created.history, entry] };
    assert.equal(decide(state).isDeleted, false);
    assert.equal(decide(state, { undone: new Set([13]) }).isDeleted, true);
  });
});

describe("undoing an import of a subscriber who existed", () => {
  test("removes them from the list and restores values, also empty ones, and who had set them", () => {
    const { changes, basics, cleared, isRemoved, stays, restoredValues } = decide(existing);
    assert.deepEqual([isRemoved, stays, restoredValues, cleared], [true, null, 2, []]);
    assert.deepEqual([basics?.firstName, basics?.imported], ["", 0]);
    assert.deepEqual(changes[1], {
      ...{ kind: "set-value", field: CITY, value: "Rome", at: NOW },
      origin: { kind: "import", batch: 3 },
    });
    assert.deepEqual(kinds(existing), ["leave", "set-value", "add-history"]);
  });

  test("keeps a value that changed since, or that a call confirmed", () => {
    const confirmed = { ...existing, basics: { ...existing.basics, imported: 0 } };
    const changed = { ...existing, values: new Map([[CITY, { value: "Oslo", batch: 12 }]]) };
    for (const state of [confirmed, changed]) {
      const { restoredValues, keptValues } = decide(state);
      assert.deepEqual([restoredValues, keptValues], [1, 1]);
    }
  });

  test("does nothing with a value whose field was deleted", () => {
    const { restoredValues, keptValues } = decide({ ...existing, values: new Map() });
    assert.deepEqual([restoredValues, keptValues], [1, 0]);
  });

  test("leaves a membership alone that the import did not start", () => {
    assert.ok(!kinds({ ...existing, membership: { status: "active", fromImport: null } }).includes("leave"));
  });

  test("ends a confirmation of a membership that an earlier import has started", () => {
    const fromImport = { import: 3, confirmedBy: 12 };
    const state = { ...existing, membership: { status: "active", fromImport } } as const;
    const { confirmedBy, isRemoved } = decide(state);
    assert.deepEqual([confirmedBy, isRemoved], [{ import: null }, false]);
    assert.deepEqual(decide(state, { others: [11, 3, 2] }).confirmedBy, { import: 11 });
    assert.deepEqual(decide(state, { others: [3, 2] }).confirmedBy, { import: null });
  });

  test("restores what was there before an import that was undone too late to restore it", () => {
    const replaced = (batch: number, old: string, value: string): UndoState["history"][number] => ({
      ...{ kind: "changed" as const, list: null, batch },
      replaced: [{ field: CITY, old, new: value }],
    });
    const state = {
      ...existing,
      values: new Map([[CITY, { value: "Roma", batch: 12 }]]),
      history: [replaced(11, "Oslo", "Rome"), replaced(12, "Rome", "Roma")],
    };
    const valuesSet = (more: Partial<typeof undone>) =>
      decide(state, more).changes.flatMap((change) => (change.kind === "set-value" ? [change.value] : []));
    assert.deepEqual(valuesSet({ undone: new Set([11]) }), ["Oslo"]);
    assert.deepEqual(valuesSet({}), ["Rome"]);
  });
});

test("each decision is counted", () => {
  const all = [created, existing, { ...created, isOnOtherLists: true }].map((state) => decide(state));
  assert.deepEqual(all.reduce(countUndo, noUndoCounts), {
    ...{ deleted: 1, removed: 2, restored: { subscribers: 2, values: 4 }, keptValues: 0 },
    stayed: { addedSince: 0, optedOut: 0, mailed: 0, changedSince: 1 },
  });
});

test("an add confirms a membership of an import once, and a later import does", () => {
  const address = { text: "a@x.org", key: "a@x.org", domain: "x.org" };
  const known = { since: NOW, suppressions: noSuppressions };
  const state = { known, blockedAt: null, erased: null, membership: "active" } as const;
  const room = { subscribers: 1, subscriberLimit: null };
  const fromImport = { import: 12, confirmedBy: null };
  const add = (from: typeof fromImport | null) =>
    decideAdd({ ...cause, address, list: LIST }, { ...state, ...room, listExists: true, fromImport: from });
  assert.deepEqual(add(fromImport).changes, [{ kind: "confirm-membership", list: LIST, by: null }]);
  assert.deepEqual(add(null).changes, []);
  const row = { address, joinedAt: null, suppressions: {}, data: {}, values: [] };
  const imported = (batch: number, from: ImportState["fromImport"]) =>
    decideImport(
      row,
      { list: LIST, overwrite: false },
      { at: NOW, origin: { kind: "import", batch } },
      { ...state, joinedAt: 1, leftAt: null, stored: null, fromImport: from ?? null },
      room,
    ).changes;
  assert.deepEqual(imported(14, fromImport), [{ kind: "confirm-membership", list: LIST, by: 14 }]);
  assert.deepEqual(imported(12, fromImport), []);
  assert.deepEqual(imported(15, { import: 12, confirmedBy: 14 }), [
    { kind: "confirm-membership", list: LIST, by: 15 },
  ]);
  assert.deepEqual(imported(14, { import: 12, confirmedBy: 14 }), []);
});

test("refuses imports of suppressions, of earlier versions, that are too old, or undone, and says what to do", () => {
  const batch: ImportBatch = {
    ...{ id: 12, list: LIST, fileName: "f.csv", startedBy: "ada", startedKind: "operator", startedAt: NOW },
    ...{
      finishedAt: null,
      counts: noSubscriberCounts,
      isUndoable: true,
      undoStartedAt: null,
      undoneAt: null,
    },
  };
  assert.equal(undoRefusal(batch, NOW + 30 * DAY), null);
  assert.equal(undoableUntil(batch, NOW), NOW + 30 * DAY);
  assert.equal(undoRefusal({ ...batch, undoStartedAt: NOW }, NOW), null);
  const refused = [
    [{ ...batch, undoneAt: NOW }, NOW, /^was undone already; import the file again/],
    [{ ...batch, list: null }, NOW, /an opt-out is never undone; reactivate/],
    [{ ...batch, isUndoable: false }, NOW, /an earlier version, .*; remove the subscribers/],
    [batch, NOW + 30 * DAY + 1, /more than 30 days old; remove the subscribers/],
  ] as const;
  for (const [one, now, why] of refused) {
    assert.match(undoRefusal(one, now) ?? "", why);
    assert.equal(undoableUntil(one, now), null);
  }
});
