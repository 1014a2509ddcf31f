/** The text of `subscriber export`, which a person without knowledge of the software is given. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { after, before, test } from "node:test";
import type { PersonDocument } from "../../src/cli/commands/subscriber/person-document.ts";
import { personReport } from "../../src/cli/commands/subscriber/person-report.ts";
import { bySuppression } from "../../src/domain/subscriber/subscriber.ts";
import { Installation } from "./program.ts";

const at = (day: number): number => Date.UTC(2026, 0, day, 9, 30, 5);
const shop = { key: 4, hint: "3F2A", name: "Web shop" };
const nobody = {
  exportedAt: at(31),
  account: { name: "Acme Ltd" },
  address: "ada@example.org",
  person: null,
  stillHoldsAfterErasure: null,
  blocks: [],
  refusedCalls: [],
} satisfies PersonDocument;
const entry = { origin: "key", through: shop, campaign: null, list: null, detail: null } as const;
const ada = {
  address: "Ada@example.org",
  knownSince: at(1),
  data: { firstName: "Augusta", lastName: null, gender: "F", birthday: "1815-12-10", country: "GB" },
  suppressions: { ...bySuppression(() => null), unsubscribed: new Date(at(9)).toISOString() },
  values: [
    { name: "Newsletter", value: "true", at: at(2), through: shop },
    { name: "Town", value: "London", at: at(3), through: null, import: 7 },
    { name: "Note", value: "calls back", at: at(3), through: null, import: null },
  ],
  lists: [{ name: "Weekly", joinedAt: at(1), status: "active", counts: false }],
  history: [
    { ...entry, at: at(1), kind: "joined", list: { id: 1, name: "Weekly" } },
    { ...entry, at: at(2), kind: "left", list: { id: 2, name: null }, origin: "operator", through: null },
    {
      ...entry,
      at: at(3),
      kind: "changed",
      origin: "import",
      through: null,
      import: 7,
      replaced: [{ field: "Town", fieldId: 4n, old: "Paris", new: "London" }],
    },
    {
      ...entry,
      at: at(4),
      kind: "changed",
      origin: "operator",
      through: null,
      replaced: [
        { field: "address", fieldId: null, old: "ad@example.org", new: "ada@example.org" },
        { field: "firstName", fieldId: null, old: "", new: "Augusta" },
        { field: "address", fieldId: 5n, old: "Ockham Park", new: "" },
      ],
    },
    {
      ...entry,
      at: at(9),
      kind: "unsubscribed",
      origin: "link",
      through: null,
      campaign: { id: 3, name: "Spring" },
      detail: "too many messages",
    },
  ],
  campaignResults: [{ campaign: { name: "Spring" }, event: "unsubscribed", at: at(9), joinedAt: at(1) }],
} satisfies PersonDocument["person"];

/** Without the line breaks of wrapping. */
const reportOf = (document: PersonDocument): string => personReport(document).replace(/\s+/g, " ");

test("states what is stored, since when, where it came from and who changed it", () => {
  const text = reportOf({ ...nobody, person: ada });
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
    "E-mail address: “ad@example.org” became “ada@example.org”. First name: “Augusta” was added. address: “Ockham Park” was removed. Done by staff of Acme Ltd.",
    "You were unsubscribed from everything. Mailing: “Spring”. Note: too many messages. Done by you, by a link in a message.",
    "“Spring”: you unsubscribed, 9 January 2026 at 09:30:05.",
  ])
    assert.ok(text.includes(sentence), `${sentence}\n\n${text}`);
  assert.doesNotMatch(text, /null|undefined|\[object|Last name/);
});

test("states that messages are sent if the subscriber is active and on a list, and otherwise why not", () => {
  const suppressions = { ...ada.suppressions, unsubscribed: null };
  const weekly = { name: "Weekly", joinedAt: at(1), status: "active", counts: true };
  const active = { ...ada, suppressions, lists: [weekly] };
  assert.match(reportOf({ ...nobody, person: active }), /SENT TO YOU\? Yes, messages to the lists below\./);
  assert.match(reportOf({ ...nobody, person: { ...active, lists: [] } }), /No, because you are on no list\./);
  const pending = { name: "Daily", joinedAt: at(1), status: "pending", counts: false };
  const waiting = reportOf({ ...nobody, person: { ...active, lists: [pending] } });
  assert.match(waiting, /No, because you have not confirmed your subscription yet\./);
  assert.match(waiting, /“Daily”, since [^;]+; you have not confirmed it yet\./);
  const both = reportOf({ ...nobody, person: { ...active, lists: [weekly, pending] } });
  assert.match(both, /Yes, messages to those of the lists below that you have confirmed\./);
});

test("states what is kept after an erasure, what is blocked and which requests were refused", () => {
  const text = reportOf({
    ...nobody,
    stillHoldsAfterErasure: ada.suppressions,
    blocks: [{ pattern: "@example.org", createdAt: at(4) }],
    refusedCalls: [
      {
        operation: "Subscriber.Add",
        outcome: "Unsubscribed",
        count: 1204,
        firstAt: at(5),
        lastAt: at(6),
        arguments: { EMail: "ADA@example.org" },
        through: { ...shop, name: "" },
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

test("states which campaigns were sent, and why one was not", () => {
  const sent = { at: at(7), code: 250, skipped: null, reply: null };
  const campaigns = [
    { ...sent, campaign: { name: "Spring" }, state: "sent" },
    { ...sent, campaign: { name: "Summer" }, state: "failed", code: 552, reply: "mailbox\nfull" },
    { ...sent, campaign: { name: "Autumn" }, state: "skipped", code: null, skipped: "left the lists" },
  ];
  const text = reportOf({ ...nobody, person: { ...ada, campaigns } });
  assert.match(text, /MAILINGS “?.*“Spring” was sent to you, 7 January 2026[^.]*\. - /);
  assert.match(
    text,
    /“Summer” could not be delivered, [^.]*\. The mail system answered: “552 mailbox full”\./,
  );
  assert.match(text, /“Autumn” was not sent to you \(left the lists\), 7 January 2026/);
});

test("wraps at 80 columns, and shows stored text on one line", () => {
  const history = [{ ...entry, at: at(1), kind: "reactivated", detail: "asked\n\nMESSAGES ARE SENT" }];
  const text = personReport({ ...nobody, person: { ...ada, history } });
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
  const { person } = JSON.parse(json.out) as PersonDocument;
  assert.equal(person?.data.firstName, "Ada");
  assert.equal(person.history[0]?.operator, userInfo().username);
});
