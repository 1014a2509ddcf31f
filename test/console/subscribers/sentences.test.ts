/** What happened to a subscriber, in plain sentences: every kind of entry with every kind of actor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Names } from "#admin/subscribers/names.ts";
import { objectLinks } from "#console/kit/object-links.ts";
import { causesOf, describeEntry } from "#console/pages/subscribers/history.ts";
import { contract } from "#contract/operations.ts";
import { type Origin, originKinds } from "#domain/access/origin.ts";
import {
  type HistoryEntry,
  type HistoryKind,
  historyEntry,
  historyKinds,
  KEPT_FROM_ERASURE,
  reactivatedDetail,
} from "#domain/subscriber/history.ts";
import { noSuppressions } from "#domain/subscriber/subscriber.ts";

const HOSTILE = `<i>"x"</i>`;
const names = {
  keys: [
    { id: 1, label: "Shop", hint: "f3a9" },
    { id: 2, label: "", hint: "0b1c" },
    { id: 3, label: HOSTILE, hint: "aaaa" },
  ],
  lists: [
    { id: 5, name: "Newsletter" },
    { id: 6, name: HOSTILE },
  ],
  campaigns: new Map([[7, "Spring"]]),
  fields: new Map([[9n, "Town"]]),
  users: new Map([[4, "mia@example.org"]]),
} as unknown as Names;
const links = objectLinks({ link: (path) => `/console/1${path}` });
const told = (entry: HistoryEntry) => describeEntry(entry, names, links);
const plain = (entry: HistoryEntry): string => told(entry).sentence.html.replaceAll(/<[^>]*>/g, "");

const actors: Readonly<Record<Origin["kind"], readonly [Origin, by: string]>> = {
  key: [{ kind: "key", key: 1 }, "by the key Shop (f3a9…)"],
  import: [{ kind: "import", batch: 12 }, "by the import 12"],
  link: [{ kind: "link" }, "through a link in a mail"],
  bounce: [{ kind: "bounce" }, "by the processing of bounces"],
  operator: [{ kind: "operator", name: "root" }, "by root on the command line"],
  user: [{ kind: "user", user: 4 }, "by mia@example.org"],
};
/** With and without a campaign, a pattern, a reason. */
const kinds: Readonly<
  Record<
    HistoryKind,
    readonly (readonly [Partial<HistoryEntry>, (by: string, is: Origin["kind"]) => string])[]
  >
> = {
  joined: [
    [{ list: 5 }, (by, is) => `${is === "link" ? "Joined" : "Added to"} the list Newsletter ${by}.`],
    [
      { list: 99 },
      (by, is) => `${is === "link" ? "Joined" : "Added to"} the list 99, which was deleted ${by}.`,
    ],
  ],
  left: [[{ list: 5 }, (by, is) => `${is === "link" ? "Left" : "Removed from"} the list Newsletter ${by}.`]],
  unsubscribed: [
    [{}, (by) => `Unsubscribed from all lists ${by}.`],
    [{ campaign: 7 }, (by) => `Unsubscribed in the campaign Spring; recorded ${by}.`],
    [
      { detail: KEPT_FROM_ERASURE },
      () => "The address had unsubscribed before the person was erased. That stays in force.",
    ],
  ],
  bounced: [
    [{}, (by) => `The address was marked as bounced ${by}.`],
    [{ campaign: 7 }, (by) => `The address bounced in the campaign Spring; recorded ${by}.`],
    [
      { detail: KEPT_FROM_ERASURE },
      () => "The address had bounced before the person was erased. That stays in force.",
    ],
  ],
  complained: [
    [{}, (by) => `A complaint about mail was recorded ${by}.`],
    [{ campaign: 8 }, (by) => `Complained about the campaign 8, which was deleted; recorded ${by}.`],
    [
      { detail: KEPT_FROM_ERASURE },
      () => "The person had complained before being erased. That stays in force.",
    ],
  ],
  blocked: [
    [{}, (by) => `Blocked by the block list; recorded ${by}.`],
    [
      { detail: "@spam.example" },
      (by) => `Blocked by the pattern @spam.example, which was added to the block list ${by}.`,
    ],
  ],
  unblocked: [
    [{}, (by) => `No longer blocked; changed ${by}.`],
    [
      { detail: "@spam.example" },
      (by) => `No longer blocked: the pattern @spam.example was removed from the block list ${by}.`,
    ],
  ],
  reactivated: [
    [{ detail: reactivatedDetail("bounced", "a: b\nc") }, (by) => `No longer bounced: reactivated ${by}.`],
    [{ detail: "written by hand" }, (by) => `Reactivated ${by}.`],
    [{}, (by) => `Reactivated ${by}.`],
  ],
  undone: [
    [
      { list: 5, detail: "import 12", replaced: [{ field: "firstName", old: "Eda", new: "Ada" }] },
      (by) =>
        `Undone ${by}: import 12; removed from the list Newsletter and First name changed from Eda to Ada.`,
    ],
    [
      { list: 99, detail: "import 12" },
      (by) => `Undone ${by}: import 12; removed from the list 99, which was deleted.`,
    ],
  ],
  changed: [
    [
      { replaced: [{ field: "firstName", old: "Ada", new: "Eda" }] },
      (by) => `First name changed from Ada to Eda ${by}.`,
    ],
    [
      {
        replaced: [
          { field: "address", old: "a@b.example", new: "c@d.example" },
          { field: 9n, old: "", new: "Rome" },
          { field: 77n, old: "x", new: "" },
        ],
      },
      (by) =>
        `Address changed from a@b.example to c@d.example, Town set to Rome and field 77 removed, which was x ${by}.`,
    ],
    [{ replaced: null }, (by) => `Values changed ${by}.`],
  ],
};

for (const kind of historyKinds)
  for (const origin of originKinds)
    test(`tells an entry of kind ${kind} that came from a ${origin}`, () => {
      const [of, by] = actors[origin];
      for (const [more, expected] of kinds[kind])
        assert.equal(plain(historyEntry(kind, { at: 5, origin: of }, more)), expected(by, origin));
    });

test("says so if the key, user, operator or import behind an entry is not known", () => {
  const by = (origin: Origin): string => plain(historyEntry("unsubscribed", { at: 5, origin }));
  assert.equal(by({ kind: "key", key: 99 }), "Unsubscribed from all lists by a key that no longer exists.");
  assert.equal(by({ kind: "key", key: 2 }), "Unsubscribed from all lists by the key 0b1c….");
  assert.equal(by({ kind: "user", user: 99 }), "Unsubscribed from all lists by a user who no longer exists.");
  assert.equal(by({ kind: "operator" }), "Unsubscribed from all lists on the command line.");
  assert.equal(by({ kind: "import", batch: null }), "Unsubscribed from all lists by an import.");
});

test("links the list, campaign, key, user, import and pattern of an entry", () => {
  const hrefs = (kind: HistoryKind, origin: Origin, more: Partial<HistoryEntry> = {}): string[] =>
    [...told(historyEntry(kind, { at: 5, origin }, more)).sentence.html.matchAll(/href="([^"]*)"/g)].map(
      ([, href = ""]) => href.replace("/console/1", ""),
    );
  assert.deepEqual(hrefs("joined", { kind: "key", key: 1 }, { list: 5 }), ["/lists/5", "/integrations/1"]);
  assert.deepEqual(hrefs("bounced", { kind: "import", batch: 12 }, { campaign: 7 }), [
    "/campaigns/7",
    "/imports/12",
  ]);
  assert.deepEqual(hrefs("blocked", { kind: "user", user: 4 }, { detail: "@spam.example" }), [
    "/settings/blocks",
    "/settings/users/4",
  ]);
});

test("names the operation of a call where only one can have done it, and the reason of a reactivation", () => {
  const source = (kind: HistoryKind, origin: Origin, more: Partial<HistoryEntry> = {}) =>
    told(historyEntry(kind, { at: 5, origin }, more)).source;
  const key: Origin = { kind: "key", key: 1 };
  assert.equal(source("unsubscribed", key), "Operation Subscriber.Unsubscribe");
  assert.equal(source("left", key, { list: 5 }), "Operation Subscriber.Remove");
  for (const name of ["Subscriber.Unsubscribe", "Subscriber.Remove"])
    assert.ok(Object.hasOwn(contract.operations, name), name);
  assert.equal(source("unsubscribed", key, { campaign: 7 }), null);
  assert.equal(source("joined", key, { list: 5 }), null);
  assert.equal(source("unsubscribed", { kind: "user", user: 4 }), null);
  assert.equal(
    source("reactivated", key, { detail: reactivatedDetail("bounced", "mailbox works") }),
    "Reason: mailbox works",
  );
  assert.equal(source("reactivated", key, { detail: "by hand" }), "Reason: by hand");
});

test("escapes hostile names and values", () => {
  const entries = [
    historyEntry("joined", { at: 5, origin: { kind: "key", key: 3 } }, { list: 6 }),
    historyEntry("blocked", { at: 5, origin: { kind: "operator", name: HOSTILE } }, { detail: HOSTILE }),
    historyEntry(
      "changed",
      { at: 5, origin: { kind: "link" } },
      { replaced: [{ field: "lastName", old: HOSTILE, new: HOSTILE }] },
    ),
  ];
  for (const entry of entries) assert.doesNotMatch(told(entry).sentence.html, /<i>|"x"/);
});

test("finds the entry that began each suppression in force, the strongest first", () => {
  const at = (kind: HistoryKind, time: number) =>
    historyEntry(kind, { at: time, origin: { kind: "link" } }, {});
  const history = [at("bounced", 30), at("unsubscribed", 20), at("unsubscribed", 10), at("joined", 1)];
  const causes = causesOf({ ...noSuppressions, bounced: 29, unsubscribed: 10, blocked: 5 }, history);
  assert.deepEqual(
    causes.map(({ kind, since, entry }) => [kind, since, entry?.at ?? null]),
    [
      ["blocked", 5, null],
      ["unsubscribed", 10, 10],
      ["bounced", 29, 30],
    ],
  );
});
