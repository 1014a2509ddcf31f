/** The text of `subscriber export`, which a person without knowledge of the software is given. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { after, before, test } from "node:test";
import { type PersonDocument, personReport } from "#cli/commands/subscriber/person-report.ts";
import type { Origin } from "#domain/access/origin.ts";
import { bySuppression } from "#domain/subscriber/subscriber.ts";
import { Installation } from "./program.ts";

const at = (day: number): number => Date.UTC(2026, 0, day, 9, 30, 5);
const actor = (kind: Origin["kind"], id: string | null = null, name: string | null = null) => ({
  kind,
  id,
  name,
});
const shop = actor("key", "4", "Web shop");
const nobody = {
  exportedAt: at(31),
  account: { id: 1, name: "Acme Ltd" },
  email: "ada@example.org",
  subscriber: null,
  campaigns: [],
  remainingSuppressions: null,
  blocks: [],
  blockChanges: [],
  refusedCalls: [],
  providerEvents: [],
  user: null,
} satisfies PersonDocument;
const entry = {
  ...{ actor: shop, campaign: null, list: null, detail: null, replaced: null, importedAt: null },
} as const;
const ada = {
  id: 1,
  email: "Ada@example.org",
  state: "unsubscribed",
  createdAt: at(1),
  ...({ firstName: "Augusta", lastName: null, gender: "F", birthday: "1815-12-10", country: "GB" } as const),
  imported: [],
  suppressions: { ...bySuppression(() => null), unsubscribed: new Date(at(9)).toISOString() },
  values: [
    { field: { id: 1n, name: "Newsletter" }, value: "true", at: at(2), actor: shop },
    { field: { id: 2n, name: "Town" }, value: "London", at: at(3), actor: actor("import", "7") },
    { field: { id: 3n, name: "Note" }, value: "calls back", at: at(3), actor: null },
  ],
  lists: [{ id: 1, name: "Weekly", joinedAt: at(1), status: "active", isCounted: false }],
  history: [
    { ...entry, at: at(1), kind: "joined", list: { id: 1, name: "Weekly" } },
    { ...entry, at: at(2), kind: "left", list: { id: 2, name: null }, actor: actor("operator") },
    {
      ...entry,
      at: at(3),
      kind: "changed",
      actor: actor("import", "7"),
      replaced: [{ field: { id: 4n, name: "Town" }, old: "Paris", new: "London" }],
    },
    {
      ...entry,
      at: at(4),
      kind: "changed",
      actor: actor("operator"),
      replaced: [
        { field: { id: null, name: "email" }, old: "ad@example.org", new: "ada@example.org" },
        { field: { id: null, name: "firstName" }, old: null, new: "Augusta" },
        { field: { id: 5n, name: "email" }, old: "Ockham Park", new: null },
      ],
    },
    {
      ...entry,
      at: at(5),
      kind: "undone",
      actor: actor("operator"),
      list: { id: 1, name: "Weekly" },
      detail: "import 7",
      replaced: [{ field: { id: 4n, name: "Town" }, old: "London", new: "Paris" }],
    },
    {
      ...entry,
      at: at(9),
      kind: "unsubscribed",
      actor: actor("link"),
      campaign: { id: 3, name: "Spring" },
      detail: "too many messages",
    },
  ],
  campaignResults: [
    { campaign: { id: 3, name: "Spring" }, event: "unsubscribed", at: at(9), joinedAt: at(1) },
  ],
} satisfies PersonDocument["subscriber"];

/** Without the line breaks of wrapping. */
const reportOf = (document: PersonDocument): string => personReport(document).replace(/\s+/g, " ");

test("states what is stored, since when, where it came from and who changed it", () => {
  const text = reportOf({ ...nobody, subscriber: ada });
  for (const sentence of [
    "What Acme Ltd has stored about ada@example.org",
    "As of 31 January 2026 at 09:30:05. All times are UTC.",
    "First name Augusta Gender female (F) Birthday 10 December 1815 Country United Kingdom (GB) Stored since 1 January 2026 at 09:30:05",
    "Newsletter: true. Stored 2 January 2026 at 09:30:05, from the program “Web shop”.",
    "Town: London. Stored 3 January 2026 at 09:30:05, from an import of a file (no. 7) by Acme Ltd.",
    "Note: calls back. Stored 3 January 2026 at 09:30:05.",
    "No, because you unsubscribed (9 January 2026 at 09:30:05).",
    "“Weekly”, since 1 January 2026 at 09:30:05.",
    "You were added to the list “Weekly”. Done by the program “Web shop”.",
    "You were removed from the list “no. 2, which was deleted”. Done by staff of Acme Ltd.",
    "Stored data about you was changed. Town: “Paris” became “London”. Done by an import of a file (no. 7) by Acme Ltd.",
    "E-mail address: “ad@example.org” became “ada@example.org”. First name: “Augusta” was added. email: “Ockham Park” was removed. Done by staff of Acme Ltd.",
    "An import was undone, and you were removed from the list “Weekly”. Town: “London” became “Paris”. Note: import 7. Done by staff of Acme Ltd.",
    "You were unsubscribed from everything. Mailing: “Spring”. Note: too many messages. Done by you, by a link in a message.",
    "“Spring”: you unsubscribed, 9 January 2026 at 09:30:05.",
  ])
    assert.ok(text.includes(sentence), `${sentence}\n\n${text}`);
  assert.doesNotMatch(text, /null|undefined|\[object|Last name/);
});

test("states that messages are sent if the subscriber is active and on a list, and otherwise why not", () => {
  const suppressions = { ...ada.suppressions, unsubscribed: null };
  const weekly = { id: 1, name: "Weekly", joinedAt: at(1), status: "active", isCounted: true } as const;
  const active = { ...ada, suppressions, lists: [weekly] };
  assert.match(
    reportOf({ ...nobody, subscriber: active }),
    /SENT TO YOU\? Yes, messages to the lists below\./,
  );
  assert.match(
    reportOf({ ...nobody, subscriber: { ...active, lists: [] } }),
    /No, because you are on no list\./,
  );
  const pending = { id: 2, name: "Daily", joinedAt: at(1), status: "pending", isCounted: false } as const;
  const waiting = reportOf({ ...nobody, subscriber: { ...active, lists: [pending] } });
  assert.match(waiting, /No, because you have not confirmed your subscription yet\./);
  assert.match(waiting, /“Daily”, since [^;]+; you have not confirmed it yet\./);
  const both = reportOf({ ...nobody, subscriber: { ...active, lists: [weekly, pending] } });
  assert.match(both, /Yes, messages to those of the lists below that you have confirmed\./);
});

test("states what is kept after an erasure, what is blocked and which requests were refused", () => {
  const text = reportOf({
    ...nobody,
    remainingSuppressions: ada.suppressions,
    blocks: [{ pattern: "@example.org", createdAt: at(4) }],
    refusedCalls: [
      {
        id: 1,
        isCut: false,
        operation: "Subscriber.Add",
        outcome: "Unsubscribed",
        callCount: 1204,
        firstAt: at(5),
        lastAt: at(6),
        arguments: { EMail: "ADA@example.org" },
        key: { id: 4, name: null, hint: "3F2A" },
      },
    ],
  });
  assert.match(
    text,
    /Your data was erased\. Only two things are kept: a code .* you unsubscribed \(9 January 2026/,
  );
  assert.match(text, /Every address that ends in @example\.org is blocked since 4 January 2026/);
  assert.match(
    text,
    /Subscriber\.Add, sent 1,204 times by the program with access key 4 \(3F2A…\): first 5 January 2026 .*, last 6 January 2026 .*\. Refused because: The address was unsubscribed earlier\. It contained: \{"EMail":"ADA@example\.org"\}\./,
  );
});

test("has both dates of what an import has recorded", () => {
  const joined = {
    ...entry,
    at: at(1),
    kind: "joined",
    actor: actor("import", "7"),
    importedAt: at(5),
  } as const;
  const history = [{ ...joined, list: { id: 1, name: "Weekly" } }];
  assert.match(
    reportOf({ ...nobody, subscriber: { ...ada, history } }),
    /1 January 2026[^:]*:[^:]*:[^:]*: You were added to the list “Weekly”\. Imported on 5 January 2026/,
  );
});

test("states which campaigns were sent, and why one was not", () => {
  const sent = { at: at(7), code: 250, skipReason: null, reply: null, retry: null, earlier: null };
  const campaigns = [
    { ...sent, campaign: { id: 1, name: "Spring", state: "finished" }, state: "sent" },
    {
      ...sent,
      campaign: { id: 2, name: "Summer", state: "finished" },
      state: "failed",
      code: 552,
      reply: "mailbox\nfull",
    },
    { ...sent, campaign: { id: 4, name: "Winter", state: "cancelled" }, state: "queued", code: null },
    {
      ...sent,
      campaign: { id: 3, name: "Autumn", state: "finished" },
      state: "skipped",
      code: null,
      skipReason: "left the lists",
    },
  ] as const;
  const text = reportOf({ ...nobody, subscriber: ada, campaigns: [...campaigns] });
  assert.match(text, /MAILINGS “?.*“Spring” was sent to you, 7 January 2026[^.]*\. - /);
  assert.match(
    text,
    /“Summer” could not be delivered, [^.]*\. The mail system answered: “552 mailbox full”\./,
  );
  assert.match(text, /“Winter” was not sent to you, because it was cancelled\. - /);
  assert.match(text, /“Autumn” was not sent to you \(left the lists\), 7 January 2026/);
});

test("wraps at 80 columns, and shows stored text on one line", () => {
  const history = [
    { ...entry, at: at(1), kind: "reactivated", detail: "asked\n\nMESSAGES ARE SENT" },
  ] as const;
  const text = personReport({ ...nobody, subscriber: { ...ada, history: [...history] } });
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  assert.doesNotMatch(text, /^MESSAGES/m);
});

const home = new Installation({ keepsOpen: true });
before(() => home.runHere(["account", "create", "Acme"]));
after(() => home.remove());
test("'subscriber export' prints the text, and with --json the document", async () => {
  await home.runHere(["list", "create", "News"]);
  await home.runHere(["subscriber", "add", "1", "ada@example.org", "--first", "Ada"]);
  const { out } = await home.runHere(["subscriber", "export", "ada@example.org"]);
  assert.match(out, /^What Acme has stored about ada@example\.org\n/);
  assert.match(out, /First name +Ada\n/);
  assert.match(out, /You were added to the list “News”\. Done by\s+staff of Acme/);
  assert.ok(out.includes(`(${userInfo().username}).`), out);
  const json = await home.runHere(["subscriber", "export", "ada@example.org", "--json"]);
  const { subscriber } = JSON.parse(json.out) as PersonDocument;
  assert.equal(subscriber?.firstName, "Ada");
  assert.deepEqual(subscriber.history[0]?.actor, actor("operator", null, userInfo().username));
});
