/**
 * A whole campaign, from the import to what SOAP returns, with the real program and a real SMTP
 * server: 10,000 subscribers, two lists less a third, `kill -9` in the middle, rejected addresses, and people
 * who unsubscribe with one click.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import { Installation, type Served } from "../cli/program.ts";
import { startServer } from "../delivery/smtp/smtp-server.ts";
import { sendRequest } from "../send-request.ts";
import { KEY } from "../service.ts";

const SUBSCRIBERS = 10_000;
/** Of the subscribers in order: who is on which list. */
const [FIRST_LIST, SECOND_LIST, THIRD_LIST] = [6000, 4000, 9500];
const TIMEOUT_MS = 240_000;

/** One in 97 is unknown to the relay, one in 89 is refused as spam. */
const emailOf = (n: number): string =>
  n % 97 === 0 ? `gone${n}@example.net` : n % 89 === 0 ? `spam${n}@example.net` : `p${n}@example.net`;
const csv = (from: number, to: number): string =>
  `email,first_name\n${Array.from({ length: to - from }, (_, i) => `${emailOf(from + i)},Person ${from + i}\n`).join("")}`;

const refusal = (message: string): Error => Object.assign(new Error(message), { responseCode: 550 });

test("a campaign survives kill -9, and SOAP reports exactly what happened", async () => {
  const installation = new Installation();
  /** How often the relay has accepted a message for each address. */
  const accepted = new Map<string, number>();
  await using relay = await startServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo({ address }, _session, done) {
      if (address.startsWith("gone")) done(refusal("5.1.1 unknown user"));
      else if (address.startsWith("spam")) done(refusal("5.7.1 looks like spam"));
      else done();
    },
  });
  const env = { MAILROLL_API_KEY: KEY, MAILROLL_SMTP: `smtp://127.0.0.1:${relay.port}` };
  const command = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await installation.run(words, { env });
    assert.equal(code, 0, `mailroll ${words.join(" ")}: ${err}${out}`);
    return out;
  };
  let served: Served = await installation.serve([], env);
  try {
    // The first start has made the first list.
    for (const name of ["Second", "Third"]) await command("list", "create", name);
    const tables = [csv(0, FIRST_LIST), csv(SECOND_LIST, SUBSCRIBERS), csv(THIRD_LIST, SUBSCRIBERS)];
    for (const [index, table] of tables.entries()) {
      const file = join(installation.folder, `${index}.csv`);
      writeFileSync(file, table);
      await command("import", "subscribers", file, "--list", String(index + 1));
    }
    const page = join(installation.folder, "campaign.html");
    writeFileSync(
      page,
      '<p>Hello {{ first_name }}</p><p>{{ postal_address }} <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
    );
    await command(
      "sender",
      "create",
      "--from",
      "Shop <news@example.org>",
      "--postal-address",
      "1 Main Street",
      "--signed-by",
      "relay",
    );
    const targets = ["--list", "1", "--list", "2", "--exclude", "3"];
    await command(
      "campaign",
      "create",
      "Spring",
      ...targets,
      "--sender",
      "1",
      "--subject",
      "Spring",
      "--html",
      page,
    );
    const before = await served.call("Client.GetCampaignsList", { APIKey: KEY });
    assert.doesNotMatch(before, /Spring/, "a draft is visible over SOAP");

    await command("campaign", "send", "1", "--allow-http");
    await until(() => relay.delivered.length >= SUBSCRIBERS / 4, "a quarter of the messages arrive");
    await served.kill();
    assert.ok(relay.delivered.length < SUBSCRIBERS, "the campaign was over before the program was killed");
    served = await installation.serve([], env);
    const shown = async (): Promise<Shown> =>
      JSON.parse(await command("campaign", "show", "1", "--json")) as Shown;
    await until(async () => (await shown()).sending.state === "finished", "the campaign is finished");

    const expected = Array.from({ length: THIRD_LIST }, (_, n) => emailOf(n));
    for (const { to } of relay.delivered) accepted.set(to, (accepted.get(to) ?? 0) + 1);
    assert.deepEqual(
      [...accepted].filter(([, times]) => times > 1),
      [],
      "somebody got it twice",
    );
    await command("campaign", "verify", "1");
    const { sending } = await shown();
    assert.equal(sending.selectedCount, expected.length);
    const unknown = new Set(
      (
        JSON.parse(await command("campaign", "recipients", "1", "--state", "unknown", "--json")) as Named[]
      ).map(({ email }) => email),
    );
    assert.ok(unknown.size <= SMTP_CONNECTIONS, `${unknown.size} are unknown`);
    const missing = expected.filter((email) => email.startsWith("p") && !accepted.has(email));
    assert.deepEqual(
      missing.filter((email) => !unknown.has(email)),
      [],
      "somebody got nothing and is not named",
    );
    // The answer of the relay for an unknown one died with the process.
    const rejected = expected.filter((email) => email.startsWith("gone") && !unknown.has(email));
    assert.equal([...accepted.keys()].filter((email) => !expected.includes(email)).length, 0);

    const leavers = relay.delivered.filter((_, index) => index % 50 === 0);
    for (const { bytes } of leavers) await oneClick(served, bytes.toString("latin1"));

    const of = { APIKey: KEY, CampaignID: 1 };
    assert.deepEqual(
      emailsIn(await served.call("Campaign.GetUnsubscribesList", of)),
      leavers.map(({ to }) => to).sort(),
    );
    assert.deepEqual(emailsIn(await served.call("Campaign.GetHardBouncesList", of)), rejected.sort());
    const lists = await served.call("Campaign.GetSubscribersLists", of);
    assert.equal([...lists.matchAll(/<Name>/g)].length, 2, lists);
    assert.match(lists, /<Name>Second<\/Name>/);
    const campaigns = await served.call("Client.GetCampaignsList", { APIKey: KEY });
    assert.match(campaigns, /<Name>Spring<\/Name>.*<SentDate>20/s);
    await command("doctor");
  } finally {
    await installation.remove();
  }
});

interface Shown {
  readonly sending: {
    readonly state: string;
    readonly selectedCount: number;
  };
}
interface Named {
  readonly email: string;
}

const emailsIn = (xml: string): readonly string[] =>
  [...xml.matchAll(/<EMail>([^<]*)<\/EMail>/g)].map(([, email = ""]) => email).sort();

/** As the program of a mail provider does it. */
async function oneClick({ origin }: Served, message: string): Promise<void> {
  const header = /^List-Unsubscribe: <([^>]*)>/m.exec(message.replaceAll(/\r\n[ \t]+/g, " "))?.[1] ?? "";
  // The address of the process that was killed is another one.
  const { pathname } = new URL(header);
  const { status } = await sendRequest(`${origin}${pathname}`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  assert.equal(status, 200);
}

async function until(isReached: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const since = performance.now(); !(await isReached()); await delay(250))
    assert.ok(performance.now() - since < TIMEOUT_MS, `it takes too long until ${what}`);
}
