/** Senders of an account: who campaigns are from. No action returns a password or a private key. */
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import { wantedRecords } from "#domain/sending/dns.ts";
import type { DnsRecord, Finding } from "#domain/sending/finding.ts";
import { judgeProvider } from "#domain/sending/providers.ts";
import { newDkimKey, type Sender, type SenderId, withoutSecrets } from "#domain/sending/sender.ts";
import { checkSelector, nextSelector } from "#domain/sending/sender-rules.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { existing, InvalidInput, NotPossible } from "../kit/errors.ts";
import { listing } from "../kit/paging.ts";
import { checkDns, checkRelays } from "./check-sender.ts";
import { type GivenSender, type StoredSender, senderValues } from "./sender-values.ts";

export interface ShownSender {
  readonly sender: Sender;
  /** The DNS records that it needs; the check finds which are there. */
  readonly records: readonly DnsRecord[];
}
interface OneSender extends InAccount {
  readonly id: SenderId;
}

const stored = async ({ store }: Performing, { account, id }: OneSender): Promise<StoredSender> =>
  existing("sender", id, await store.senders.toSendWith({ account, id }));

/** The addresses through which it sends: its own, or that of the installation. */
export const relaysOf = ({ mail }: Performing, { relays }: StoredSender): readonly string[] =>
  relays.length === 0 && mail !== undefined ? [mail.defaultRelay] : relays.map(({ url }) => url);

const shown = (admin: Performing, sender: StoredSender): ShownSender => ({
  sender: withoutSecrets(sender),
  records: wantedRecords(sender, relaysOf(admin, sender)),
});

export const createSender = audited(
  "sender.create",
  "owner",
  async (admin, { account, ...given }: InAccount & GivenSender): Promise<ShownSender> => {
    const { store, clock, audit } = admin;
    const values = await senderValues(admin, given, null);
    const { id } = await store.senders.create({ account, ...values, createdAt: clock(), audit });
    // Of a request that was repeated, the first one has made the sender, with another key.
    return shown(admin, await stored(admin, { account, id }));
  },
);

/** Only these: others may change another value at the same time. */
const changed = (before: StoredSender, values: SenderValues): Partial<SenderValues> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof SenderValues]),
    ),
  );

/** undefined keeps a value. */
export const setSender = audited(
  "sender.set",
  "owner",
  async (admin, { account, id, ...given }: OneSender & GivenSender): Promise<ShownSender> => {
    const { store, audit } = admin;
    const before = await stored(admin, { account, id });
    const changes = changed(before, await senderValues(admin, given, before));
    existing("sender", id, await store.senders.set({ account, id, ...changes, audit }));
    return shown(admin, await stored(admin, { account, id }));
  },
);

/**
 * Replaces the DKIM key. The selector is another one, so that messages which are under way can still be
 * verified by the old record.
 */
export const newSenderKey = audited(
  "sender.newKey",
  "owner",
  async (
    admin,
    { account, id, dkimSelector: wanted }: OneSender & { readonly dkimSelector?: string | undefined },
  ): Promise<ShownSender> => {
    const { store, audit, isRepeat } = admin;
    const before = await stored(admin, { account, id });
    const { dkimDomain, dkimSelector: old } = before;
    if (dkimDomain === null || old === null)
      throw new NotPossible(`Mailroll does not sign for sender ${id}, so it has no key to replace`);
    const checked = checkSelector(wanted ?? nextSelector(old), dkimDomain);
    if ("problem" in checked) throw new InvalidInput("dkimSelector", checked.problem);
    const dkimSelector = checked.value;
    if (dkimSelector === old && !isRepeat)
      throw new InvalidInput("dkimSelector", "is that of the old key; a new key needs another selector");
    const changes = { dkimSelector, dkimKey: await newDkimKey() };
    existing("sender", id, await store.senders.set({ account, id, ...changes, audit }));
    return shown(admin, await stored(admin, { account, id }));
  },
);

export const listSenders = listing("sender.list", ({ senders }) => senders.all);

export const showSender = query(
  "sender.show",
  "viewer",
  async (admin, one: OneSender): Promise<ShownSender> => shown(admin, await stored(admin, one)),
);

/** Campaigns that have not ended prevent it. */
export const deleteSender = audited(
  "sender.delete",
  "owner",
  async ({ store, audit }, { account, id }: OneSender): Promise<Sender> => {
    const deleted = existing("sender", id, await store.senders.delete({ account, id, audit }));
    if ("id" in deleted) return deleted;
    const ids = deleted.usedBy.join(", ");
    const campaigns = deleted.usedBy.length === 1 ? `campaign ${ids} uses it` : `campaigns ${ids} use it`;
    throw new NotPossible(
      `sender ${id} cannot be deleted: ${campaigns}; choose another sender there, or delete or cancel them first`,
    );
  },
);

export interface CheckedSender extends ShownSender {
  readonly findings: readonly Finding[];
  readonly checkedAt: number;
}

/** Asks the DNS, and logs in to the relays: it may take some seconds. */
export const checkSender = query(
  "sender.check",
  "editor",
  async (admin, one: OneSender): Promise<CheckedSender> => {
    const sender = await stored(admin, one);
    const { mail } = admin;
    const findings = await Promise.all([
      checkDns(sender, relaysOf(admin, sender), mail?.nameServers ?? null),
      mail === undefined ? [] : checkRelays(sender, mail),
    ]);
    const ofProviders = sender.relays.flatMap(({ url }) => judgeProvider(sender, url));
    return {
      ...shown(admin, sender),
      findings: [...findings.flat(), ...ofProviders],
      checkedAt: admin.clock(),
    };
  },
);
