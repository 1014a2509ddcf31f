/** Many events from a file, with lines that are bad among them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { readEventLine } from "#cli/commands/campaign/campaign.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

test("valid lines of a file are recorded, invalid ones are reported by number, and importing it again changes nothing", async () => {
  await home.json("account", "create", "Acme");
  await home.json("list", "create", "News");
  await home.json("campaign", "record", "Spring", "--list", "1");
  const file = join(home.folder, "events.jsonl");
  const many = Array.from({ length: 600 }, (_, n) =>
    JSON.stringify({ event: "bounced", email: `p${n}@example.org` }),
  );
  const bad = ["{oops", '{"event":"bounced","email":"\u009bnobody"}'];
  const last = '{"event":"unsubscribed","email":"last@example.org","at":"2026-11-01T10:00:00Z"}';
  writeFileSync(file, `\ufeff${[...many, "", ...bad, last].join("\r\n")}`);

  const first = await home.runHere(["campaign", "event", "1", "--file", file]);
  assert.equal(first.code, 1);
  assert.equal(first.out, "Recorded for campaign 1: 601 events; 2 bad lines.\n");
  assert.deepEqual(first.err.split("\n"), [
    "line 602: not JSON: {oops",
    'line 603: "email" must be an e-mail address',
    "mailroll: 2 lines could not be recorded; correct them and run the command again",
    "",
  ]);

  const before = await home.json("subscriber", "show", "last@example.org");
  const input = [...many, last].join("\n");
  const again = await home.runHereOn(input, ["campaign", "event", "1", "--file", "-", "--json"]);
  assert.equal(again.code, 0, again.err);
  assert.deepEqual(JSON.parse(again.out), { recordedCount: 601, failedCount: 0 });
  const record = await home.json<{ state: string; history: readonly Record<string, unknown>[] }>(
    ...["subscriber", "show", "last@example.org"],
  );
  assert.deepEqual(record, before);
  assert.equal(record.state, "unsubscribed");
  assert.deepEqual(record.history, [
    {
      at: "2026-11-01T10:00:00.000Z",
      kind: "unsubscribed",
      actor: { kind: "import", id: null, name: null },
      campaign: { id: 1, name: "Spring" },
      list: null,
      detail: null,
      replaced: null,
      importedAt: null,
    },
  ]);
});

test("an unsubscribe of somebody who had unsubscribed before is reported as not counted", async () => {
  const { id } = await home.json<{ id: number }>("campaign", "record", "Summer", "--list", "1");
  const said = async (campaign: number): Promise<string> =>
    (await home.runHere(["campaign", "event", String(campaign), "unsubscribed", "last@example.org"])).out;
  assert.equal(await said(id), `Not counted for campaign ${id}: last@example.org had unsubscribed before.\n`);
  assert.equal(await said(1), "Recorded for campaign 1: last@example.org unsubscribed.\n");
});

test("an unreadable file, or arguments besides the file, are reported in one line", async () => {
  const calls: readonly (readonly [words: readonly string[], code: number, line: RegExp])[] = [
    [["1", "--file", "missing.jsonl"], 1, /^mailroll: there is no file missing\.jsonl\n$/],
    [["1", "--file", home.folder], 1, /^mailroll: .* is a folder; name a file in it\n$/],
    [["9", "--file", "missing.jsonl"], 1, /^mailroll: there is no campaign 9; [^\n]*\n$/],
    [
      ["1", "complained", "a@example.org", "--file", "x"],
      2,
      /^mailroll: with --file, .* do not give them as arguments\n$/,
    ],
  ];
  for (const [words, code, line] of calls) {
    const ran = await home.runHere(["campaign", "event", ...words]);
    assert.equal(ran.code, code);
    assert.match(ran.err, line);
  }
});

const now = Date.UTC(2026, 10, 15);

test("a line of an event file is parsed into an event, or reported with its error", () => {
  assert.deepEqual(
    readEventLine('{"event":"complained","email":"a@example.org","at":"2026-11-01T10:00:00Z","x":1}', now),
    {
      event: "complained",
      email: "a@example.org",
      at: Date.UTC(2026, 10, 1, 10),
    },
  );
  assert.deepEqual(readEventLine('{"event":"unsubscribed","email":"a@example.org"}', now), {
    event: "unsubscribed",
    email: "a@example.org",
    at: null,
  });
  const bad: readonly (readonly [line: string, reason: RegExp])[] = [
    ["nope", /^not JSON: nope$/],
    ["[1]", /^not a JSON object$/],
    ["null", /^not a JSON object$/],
    ['{"event":"bounce","email":"a@example.org"}', /bounced, unsubscribed, complained/],
    ['{"event":"complained","email":"a"}', /"email"/],
    ['{"event":"complained"}', /"email"/],
    ['{"event":"complained","email":"a@example.org","at":"yesterday"}', /"at"/],
    ['{"event":"complained","email":"a@example.org","at":1762000000}', /"at"/],
    ['{"event":"complained","email":"a@example.org","at":"2999-01-01"}', /"at" must not be in the future/],
  ];
  for (const [line, reason] of bad) {
    const said = readEventLine(line, now);
    assert.ok(typeof said === "string", line);
    assert.match(said, reason);
  }
});
