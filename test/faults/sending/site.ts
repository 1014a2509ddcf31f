/**
 * The real program that sends campaigns to a relay of the test, which counts what each recipient gets. The
 * test reads the ledger with a store of its own.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "#app/database.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { RecipientState } from "#domain/sending/recipient.ts";
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import { Installation, type Served } from "../../cli/program.ts";
import { type Campaign, change, draft, mailingOf, until } from "../../delivery/runner/sending.ts";
import { type FaultyOptions, type FaultyRelay, startFaultyRelay } from "../../delivery/smtp/faulty-relay.ts";

/** How long campaigns may take after the last fault: a lost lease expires after 20 seconds. */
const FINISH_MS = 120_000;
/** One of so many recipients opts out before it is their turn. */
const LEAVES = 50;

export interface SendingFigures {
  readonly rounds: number;
  readonly sent: number;
  readonly unknown: number;
  readonly skipped: number;
}

interface SentCampaign extends Campaign {
  readonly size: number;
  readonly domain: string;
  /** Their opt-outs were acknowledged before anything was sent to them. */
  readonly left: readonly string[];
}

export class SendingSite {
  readonly #installation: Installation;
  readonly #env: Readonly<Record<string, string>>;
  readonly #campaigns: SentCampaign[] = [];
  readonly relay: FaultyRelay;
  readonly store: Store;

  private constructor(
    installation: Installation,
    relay: FaultyRelay,
    store: Store,
    env: Readonly<Record<string, string>>,
  ) {
    this.#installation = installation;
    this.relay = relay;
    this.store = store;
    this.#env = env;
  }

  /** On a SQLite file of its own if no address is given. */
  static async make(database: string | null, faults: FaultyOptions = {}): Promise<SendingSite> {
    const relay = await startFaultyRelay(faults);
    const installation = new Installation();
    const url = database ?? `sqlite:${installation.database}`;
    const env = { MAILROLL_DATABASE: url, MAILROLL_SMTP: relay.url };
    const config = loadConfig({ flags: {}, env, folder: installation.folder });
    const store = await openStore(config, null, {}, { onBegin: () => {}, copy: null });
    return new SendingSite(installation, relay, store, env);
  }

  serve(): Promise<Served> {
    return this.#installation.serve([], this.#env);
  }

  /**
   * Starts a campaign to so many people at a domain of its own. When a tenth of it is sent, some of those
   * that come last opt out.
   */
  async start(size: number): Promise<SentCampaign> {
    const domain = `c${this.#campaigns.length}.example`;
    const addresses = Array.from({ length: size }, (_, n) => `p${n}@${domain}`);
    const campaign = await draft(this.store, addresses);
    await change(this.store, campaign, "schedule");
    await until(this.store, campaign, () => this.received(domain) >= size / 10);
    const left = addresses.slice(Math.floor(size * 0.9)).filter((_, n) => n % LEAVES === 0);
    // Recipients are taken in order of their ids, so none of these has been started.
    assert.ok(this.received(domain) < size * 0.7, "the last ones come later");
    for (const address of left) await campaign.by.unsubscribe(address, Date.now());
    const sent = { ...campaign, size, domain, left };
    this.#campaigns.push(sent);
    return sent;
  }

  /** How many people at this domain have got a message. */
  received(domain: string): number {
    return this.relay.complete.filter((address) => address.endsWith(`@${domain}`)).length;
  }

  /** Never more than the connections of the processes. */
  async checkSending(campaign: Campaign, processes = 1): Promise<void> {
    const { sending } = (await mailingOf(this.store, campaign)).counts;
    assert.ok(sending <= processes * SMTP_CONNECTIONS, `${sending} recipients are being sent to`);
  }

  /** The other node has recorded what a stopped one was sending. */
  async checkUnknown(campaign: Campaign): Promise<void> {
    const { unknown } = (await mailingOf(this.store, campaign)).counts;
    assert.ok(unknown > 0 && unknown <= SMTP_CONNECTIONS, `${unknown} unknown`);
  }

  /** Waits until all campaigns have ended, and checks every recipient. */
  async verify(rounds: number, mostUnknown: number): Promise<SendingFigures> {
    const deadline = performance.now() + FINISH_MS;
    const total = { rounds, sent: 0, unknown: 0, skipped: 0 };
    for (const campaign of this.#campaigns) {
      for (;;) {
        const mailing = await mailingOf(this.store, campaign);
        if (mailing.state === "finished") break;
        assert.ok(performance.now() < deadline, `not finished: ${JSON.stringify(mailing)}`);
        await delay(50);
      }
      const counts = await this.#check(campaign);
      total.sent += counts.sent;
      total.unknown += counts.unknown;
      total.skipped += counts.skipped;
    }
    assert.ok(total.unknown <= mostUnknown, `${total.unknown} unknown, and at most ${mostUnknown} may be`);
    return total;
  }

  async #check({ account, campaign, size, domain, left }: SentCampaign) {
    const { store } = this;
    const balance = await store.mailings.balance({ account, campaign });
    assert.equal(balance?.isBalanced, true, JSON.stringify(balance));
    const got = this.relay.complete.filter((address) => address.endsWith(`@${domain}`));
    const once = new Set(got);
    assert.equal(got.length, once.size, "nobody got the campaign twice");
    for (const address of left) assert.ok(!once.has(address), `${address} has opted out before`);
    const rows = await collect(store.mailings.recipients.pages({ account, campaign, state: null }));
    assert.equal(rows.length, size);
    const counts: Record<RecipientState, number> = { ...balance.rows };
    for (const { address, state } of rows) {
      assert.ok(address !== null);
      if (state === "sent") assert.ok(once.has(address), `${address} got nothing and is ${state}`);
      else if (state !== "unknown") assert.ok(!once.has(address), `${address} got it and is ${state}`);
    }
    assert.equal(counts.sent + counts.unknown + counts.skipped, size, JSON.stringify(counts));
    assert.equal(counts.skipped, left.length);
    return counts;
  }

  async remove(): Promise<void> {
    await this.store.close();
    await this.#installation.remove();
    await this.relay[Symbol.asyncDispose]();
  }
}

/** The site is removed whatever happens. */
export async function withSite<Result>(
  database: string | null,
  use: (site: SendingSite) => Promise<Result>,
  faults: FaultyOptions = {},
): Promise<Result> {
  const site = await SendingSite.make(database, faults);
  try {
    return await use(site);
  } finally {
    await site.remove();
  }
}
