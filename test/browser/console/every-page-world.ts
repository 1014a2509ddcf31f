/**
 * An installation in which every page of the console has something to show: each step of an import, jobs of
 * an account and of the service, refused calls, users, tokens and blocks. Names are long, contain markup, and
 * turn the direction of the text.
 */
import assert from "node:assert/strict";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { dayOf } from "#domain/calendar.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { quirkKinds } from "#domain/statistics.ts";
import { finishJobs } from "../../api/v2/finish-jobs.ts";
import { type Browser, fieldIn } from "../../console/browser.ts";
import type { ConsoleServer } from "../../console/console-server.ts";
import { fillWorld, type World } from "../../console/subscribers-world.ts";
import type { Received } from "../../send-request.ts";
import { begin, FAILED, mailTo, sendAll, senderValues } from "../../sending-campaign.ts";
import { addressOf } from "../../store/actor.ts";

export const HOSTILE = `<img src=x onerror="alert(1)"> & \u202egnitset ${"W".repeat(45)}`;
const DAY_MS = 86_400_000;

/** Addresses below `/console`. */
export interface EveryPageWorld extends World {
  readonly campaign: number;
  readonly composed: Composed;
  readonly hostileList: number;
  readonly hostileField: bigint;
  readonly integration: number;
  readonly refusedCall: number;
  readonly sender: number;
  /** With a topic that waits; and with a key that is missing and an event about nobody. */
  readonly webhooks: { readonly topic: number; readonly key: number };
  readonly erased: number;
  readonly user: number;
  readonly questions: readonly string[];
  readonly jobs: readonly string[];
  readonly imports: Readonly<
    Record<"incomplete" | "columns" | "trying" | "tried" | "running" | "done", string>
  >;
}

const placeOf = ({ headers, status, body }: Received): string => {
  const location = headers.get("location");
  assert.ok(
    location !== null,
    `HTTP ${status}: ${body
      .slice(body.indexOf('role="alert"'))
      .replaceAll(/<[^>]*>/g, " ")
      .slice(0, 500)}`,
  );
  return location.replace(/^.*\/console/, "");
};

async function startJob(editor: Browser, { newsletter, events }: World): Promise<string> {
  const change = { kind: "add", changeList: String(events) };
  return placeOf(await editor.post(`/console/1/subscribers/change?list=${newsletter}`, "change", change));
}

async function upload(editor: Browser): Promise<string> {
  const file = [
    `E-Mail;Vorname;Ort ${HOSTILE}`,
    `zoe@example.org;Zoë;${HOSTILE}`,
    `wrong;${HOSTILE};`,
    "ada.lovelace@example.org;Ada;",
  ].join("\n");
  const body = [
    ...["--form", 'Content-Disposition: form-data; name="do"', "", "upload"],
    ...["--form", 'Content-Disposition: form-data; name="file"; filename="Kundschaft & Freunde.csv"'],
    ...["Content-Type: text/csv", "", file, "--form--", ""],
  ].join("\r\n");
  const headers = { "Content-Type": "multipart/form-data; boundary=form" };
  return placeOf(await editor.send("POST", "/console/1/imports", { body, headers }));
}

/** One file at each step of an import. */
async function fillImports({ store }: ConsoleServer, editor: Browser): Promise<EveryPageWorld["imports"]> {
  const begun = await editor.post("/console/1/imports", "begin", { fileName: "a.csv", size: "20" });
  const chosen = {
    ...{ "column-0": "email", "column-1": "first_name", "column-2": "new_field" },
    ...{ list: "new", newList: HOSTILE, overwrite: "here" },
  };
  const tryOut = async (): Promise<string> => {
    const page = await upload(editor);
    placeOf(await editor.post(`/console${page}`, "check", chosen));
    return page;
  };
  const start = async (page: string, change: typeof chosen): Promise<string> => {
    placeOf(await editor.post(`/console${page}`, "check", change));
    await finishJobs(store);
    const run = fieldIn(await editor.get(`/console${page}`), "run") ?? "";
    return placeOf(await editor.post(`/console${page}`, "import", { run }));
  };
  const known = { ...chosen, "column-2": "ignore" };
  const done = await start(await upload(editor), known);
  await finishJobs(store);
  const tried = await tryOut();
  await finishJobs(store);
  const columns = await upload(editor);
  const running = await start(await upload(editor), known);
  return { incomplete: placeOf(begun), columns, tried, done, running, trying: await tryOut() };
}

async function fillIntegration({ store, now: at }: ConsoleServer): Promise<number> {
  const made = { account: 1, label: HOSTILE, scope: "full", expiresAt: null, at } as const;
  const key = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
  await store.statistics.addCalls({
    calls: [0, 1, 5].map((ago) => ({
      ...{ key, day: dayOf(at) - ago, program: HOSTILE, calls: 1000, refusals: 20, faults: 3 },
    })),
    quirks: quirkKinds.map((quirk) => ({ key, quirk, program: HOSTILE, seenAt: at })),
  });
  for (const email of ["ada@@example", `${HOSTILE}@`])
    await store.subscribers.add({
      ...{ account: 1, at, list: 1, address: parseAddress(email), origin: { kind: "key", key } },
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ SubscribersListID: "1", EMail: email }),
        isCut: false,
      },
    });
  return key;
}

async function fillCampaign({ store, now }: ConsoleServer, lists: readonly number[]): Promise<number> {
  const sentAt = now - 20 * DAY_MS;
  const sent = await store.campaigns.record({
    ...{ account: 1, name: HOSTILE, lists, createdAt: sentAt, sentAt },
  });
  assert.ok("id" in sent);
  for (let nth = 0; nth < 9; nth += 1)
    await store.campaigns.recordEvent({
      ...{ account: 1, origin: { kind: "operator" }, recordedCall: null, campaign: sent.id },
      ...{ address: addressOf(`p${nth}@example.org`), at: sentAt + nth * DAY_MS },
      event: (["unsubscribed", "bounced", "complained"] as const)[nth % 3] ?? "complained",
    });
  return sent.id;
}

async function fillSender(owner: Browser): Promise<number> {
  const created = await owner.post("/console/1/settings/senders/new", "create", {
    ...{ fromName: HOSTILE, fromAddress: `${"news".repeat(12)}@a-very-long-domain-name.example.org` },
    ...{ postalAddress: `London\n${HOSTILE}`, bounceDomain: "bounces.example.org", perDay: "50000" },
    relays: `smtps://a-user-with-a-long-name@relay.${"long".repeat(12)}.example.org=3`,
    relayPassword: "secret",
  });
  return Number(/\d+$/.exec(placeOf(created))?.[0]);
}

/** Ids of composed campaigns, by their states. */
export type Composed = Readonly<
  Record<"draft" | "scheduled" | "held" | "sending" | "paused" | "finished", number>
>;

const MARKDOWN = `# Spring is here, {{ first_name | default: "friend" }}

The **new colours** have arrived. They are bright, and ${HOSTILE}

[Look at them](https://example.org/spring)`;

async function fillComposed(server: ConsoleServer, list: number): Promise<Composed> {
  const { store, now, outbox } = server;
  const from = { ...senderValues, fromName: HOSTILE, account: 1, createdAt: now };
  const { id: sender } = await store.senders.create(from);
  // A list of its own: one that a campaign needs cannot be deleted.
  const { id: excluded } = await store.lists.create({ account: 1, name: `Staff ${HOSTILE}`, at: now });
  const compose = async (): Promise<OfMailing> => {
    const content = { ...emptyContent, sender, subject: `{{ first_name }}, ${HOSTILE}`, markdown: MARKDOWN };
    const made = await store.mailings.create({
      ...{ account: 1, name: HOSTILE, at: now },
      content: {
        ...content,
        preheader: "Bright",
        layout: "newsletter",
        lists: [list],
        excludedLists: [excluded],
      },
    });
    assert.ok("campaign" in made);
    return { account: 1, campaign: made.campaign.id };
  };
  const [draft, scheduled] = [await compose(), await compose()];
  const audit = { at: now, origin: { kind: "operator", name: HOSTILE }, from: null, action: "x" } as const;
  await store.mailings.setContent({ ...draft, changes: { preheader: "Warm" }, audit });
  const owner = await server.signedIn("owner");
  placeOf(await owner.post(`/console/1/campaigns/${draft.campaign}/dry-run`, "start"));
  await finishJobs(store, () => now, mailTo(outbox));
  await store.mailings.change({ ...scheduled, change: "schedule", at: now + DAY_MS, now });
  const held = await compose();
  await store.mailings.change({ ...held, change: "schedule", at: now, now });
  assert.equal(await store.ledger.begin({ ...held, now: now + DAY_MS }), "held");
  const sending = await begin(store, await compose(), now);
  const paused = await begin(store, await compose(), now);
  const reason = `421 4.7.0 try again later: ${HOSTILE}`;
  await store.mailings.change({ ...paused, change: "pause", at: now, now, reason });
  const finished = await begin(store, await compose(), now);
  await sendAll(store, finished, now, { ...FAILED, reply: `550 5.7.1 ${HOSTILE}` } as typeof FAILED);
  return {
    ...{ draft: draft.campaign, scheduled: scheduled.campaign, sending: sending.campaign },
    ...{ held: held.campaign, paused: paused.campaign, finished: finished.campaign },
  };
}

async function fillWebhooks({ store, now }: ConsoleServer): Promise<EveryPageWorld["webhooks"]> {
  const newWebhook = async (provider: "ses" | "mailgun") => {
    const { id } = await store.senders.create({
      ...senderValues,
      fromName: HOSTILE,
      account: 1,
      createdAt: now,
    });
    const of = { account: 1, id };
    const as = { secretHash: Buffer.alloc(32), key: "", topic: null };
    await store.webhooks.set({ ...of, ...as, provider, createdAt: now });
    const event = { kind: "hard", at: now, campaign: null, subscriber: null } as const;
    await store.webhooks.receive({
      ...{ ...of, as, once: null, now },
      events: [{ ...event, key: "1", address: "zz-hostile@example.net", detail: `550 ${HOSTILE}` }],
    });
    const url = "https://sns.eu-west-1.amazonaws.com/?x";
    // As long as Amazon allows, of the characters that it allows.
    const topic = `arn:aws:sns:eu-west-1:123456789012:${"W".repeat(256)}`;
    if (provider === "ses") await store.webhooks.propose({ ...of, as, topic, url });
    return id;
  };
  return { topic: await newWebhook("ses"), key: await newWebhook("mailgun") };
}

export async function fillEveryPage(server: ConsoleServer): Promise<EveryPageWorld> {
  const { store, now } = server;
  const administrator = await server.signedIn(null);
  const world = await fillWorld(store, now, administrator.user.id);
  for (const name of [HOSTILE, "Leaves soon"]) await store.accounts.create({ name, at: now });
  const [owner, editor] = [await server.signedIn("owner"), await server.signedIn("editor")];
  await editor.post("/console/me", "profile", { name: HOSTILE, timeZone: "Europe/Berlin" });
  await owner.post("/console/1/settings", "rename", { name: HOSTILE });
  await owner.post("/console/1/settings/tokens", "create-token", { name: HOSTILE, role: "viewer" });
  const hostileList = (await store.lists.create({ account: 1, name: HOSTILE, at: now })).id;
  const field = { name: HOSTILE, type: "STRING", isPrivate: true } as const;
  const created = await store.fields.create({ account: 1, id: null, field, at: now });
  assert.ok(typeof created === "object");
  const integration = await fillIntegration(server);
  const campaign = await fillCampaign(server, [world.newsletter, hostileList]);
  const any = { account: 1, operation: null, outcome: null, key: null };
  const { rows } = await store.refusals.search.page(any, { after: null, limit: 10 });
  const erased = world.ids.hedy ?? 0;
  assert.equal((await owner.post(`/console/1/subscribers/${erased}/erase`, "erase")).status, 200);

  const blocks = "/console/1/settings/blocks";
  const questions = [
    placeOf(await owner.post(blocks, "check", { pattern: "eve@example.org" })),
    placeOf(await owner.post(blocks, "ask", { pattern: "@spam.example" })),
  ];
  placeOf(await administrator.post("/console/3/settings/delete", "delete", { name: "Leaves soon" }));
  const ofService = (await store.jobs.ofInstallation.page({}, { after: null, limit: 1 })).rows[0]?.id;
  const finished = await startJob(editor, world);
  const imports = await fillImports(server, editor);
  const waiting = await startJob(editor, world);
  return {
    ...{ ...world, campaign, hostileList, hostileField: created.id, integration, erased, imports, questions },
    refusedCall: rows[0]?.id ?? 0,
    sender: await fillSender(owner),
    webhooks: await fillWebhooks(server),
    composed: await fillComposed(server, world.newsletter),
    user: editor.user.id,
    jobs: [finished, waiting, `/installation/jobs/${ofService}`],
  };
}
