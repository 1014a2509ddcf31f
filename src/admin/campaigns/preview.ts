/** How a message of a campaign looks: as a preview, or as a test message. Neither has a link that works. */
import {
  type MessageProblem,
  type MessageSource,
  type RenderedMessage,
  RendererBusy,
  TemplateProblem,
} from "#delivery/previews/renderer.ts";
import type { Address } from "#domain/address.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import { collect } from "#domain/paging.ts";
import { TestLimitReached } from "#domain/ports/errors.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { MAX_TESTS_PER_HOUR, testHourOf } from "#domain/sending/delivery.ts";
import type { ComposedCampaign } from "#domain/sending/mailing.ts";
import { type Relay, shownRelays, usedRelays } from "#domain/sending/relay.ts";
import { type Sender, type SenderSecrets, withoutSecrets } from "#domain/sending/sender.ts";
import { noSuppressions, stateOf } from "#domain/subscriber/subscriber.ts";
import { type Admin, audited, query } from "../kit/action.ts";
import { AlreadyDone, InvalidInput, NotFound, NotPossible, RateLimited } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import { requireMail } from "../kit/mail-tools.ts";
import type { OfCampaign } from "./campaigns.ts";
import { findComposed, notComposed } from "./compose.ts";

// What the messages of a campaign are made from: its content, its sender, and the person they are for.

/** Without the key: its messages are not signed. */
export async function messageSource(
  { store, mail }: Pick<Admin, "store" | "mail">,
  { account }: OfCampaign,
  { campaign: { id, name }, content }: ComposedCampaign,
): Promise<MessageSource> {
  const { senders } = store;
  const sender = content.sender === null ? null : await senders.byId({ account, id: content.sender });
  const fields = (await collect(store.fields.all.pages({ account }))).map((field) => field.name);
  const own = sender && { ...sender, relays: relaysOf(sender, mail) };
  return { account, campaign: id, name, content, sender: own, baseUrl: mail?.baseUrl ?? null, fields };
}
/** Messages have headers for the providers of their relays. */
const relaysOf = ({ relays }: Sender, mail: Admin["mail"]): readonly Relay[] =>
  mail === undefined ? relays : shownRelays(usedRelays(relays, mail));

/** Messages that are handed over are signed. The passwords of relays are not needed for that. */
async function signedSource(
  admin: Pick<Admin, "store" | "mail">,
  one: OfCampaign,
  composed: ComposedCampaign,
  sender: Sender & SenderSecrets,
): Promise<MessageSource> {
  const source = await messageSource(admin, one, composed);
  const shown = withoutSecrets(sender);
  return {
    ...source,
    sender: { ...shown, dkimKey: sender.dkimKey, relays: relaysOf(shown, admin.mail) },
  };
}

/** `email` null: a sample person. */
export async function personFor(
  { store }: Pick<Admin, "store">,
  { account }: OfCampaign,
  email: string | null,
): Promise<MergeData> {
  if (email === null) return samplePerson(await collect(store.fields.all.pages({ account })));
  const address = requireAddress(email);
  const found = await store.subscribers.find({ account, address });
  const person = found === null ? null : await store.mailings.person({ account, subscriber: found.id });
  if (person === null) throw new NotFound("subscriber", address.text);
  return person;
}

const samples: Readonly<Partial<Record<DataType, string>>> = {
  ...{ BOOLEAN: "true", REAL: "4.2", DATE: "2026-11-01", EMAIL: "ada@example.org", GENDER: "F" },
  ...{ COUNTRY: "GB", SCORE: "42", PHONE: "+44 20 7946 0000" },
};

/** A person with a value of every field. */
const samplePerson = (fields: readonly Field[]): MergeData => ({
  ...{ subscriber: 0, address: "ada@example.org", firstName: "Ada", lastName: "Lovelace" },
  ...{ gender: "F", birthday: "1990-12-10", country: "GB" },
  fields: Object.fromEntries(fields.map(({ name, type }) => [name, samples[type] ?? "sample"])),
});

export type { MessageProblem, RenderedMessage };

/** For a subscriber, or for a sample person if `email` is null. */
export const previewCampaign = query(
  "campaign.preview",
  "editor",
  async (admin, one: OfCampaign & { readonly email: string | null }): Promise<RenderedMessage> => {
    const found = await findComposed(admin, one);
    const [source, person] = [await messageSource(admin, one, found), await personFor(admin, one, one.email)];
    return await rendered(() => requireMail(admin).renderer.message(source, person, { isTest: false }));
  },
);

export const MAX_TEST_ADDRESSES = 5;

export interface TestSent {
  readonly address: string;
  /** What the relay said. */
  readonly reply: string;
  readonly isAccepted: boolean;
}

/**
 * Sends the message to some addresses, now, through the relay of the campaign's sender. A subscriber's
 * address gets that subscriber's message, any other address gets the message of a sample person. If one of
 * the addresses is suppressed, no test is sent: who opted out gets no mail, not even by mistake. Nor is one
 * sent if there are more addresses than the sender may still send tests to in this hour. The ledger is not
 * touched.
 */
export const testSend = audited(
  "campaign.testSend",
  "editor",
  async (admin, one: OfCampaign & { readonly to: readonly string[] }): Promise<readonly TestSent[]> => {
    const { store, audit } = admin;
    const { account, campaign, to } = one;
    if (to.length === 0 || to.length > MAX_TEST_ADDRESSES)
      throw new InvalidInput("to", `must be 1 to ${MAX_TEST_ADDRESSES} addresses`);
    const addresses = to.map(requireTestAddress);
    const found = await findComposed(admin, one);
    const { mailings, senders } = store;
    const { sender: id } = found.content;
    const sender = id === null ? null : await senders.toSendWith({ account, id });
    if (sender === null)
      throw new NotPossible(`campaign ${campaign} has no sender; choose one, then send the test again`);
    await requireNotSuppressed(admin, one, addresses);
    const mail = requireMail(admin);
    const source = await signedSource(admin, one, found, sender);
    const messages: RenderedMessage[] = [];
    for (const address of addresses) {
      const known = await store.subscribers.find({ account, address });
      const person = {
        ...(await personFor(admin, one, known === null ? null : address.text)),
        address: address.text,
      };
      messages.push(await rendered(() => mail.renderer.message(source, person, { isTest: true })));
    }
    const { at } = audit;
    const recorded = await withinLimit(at, () =>
      mailings.recordTest({ account, campaign, sender: sender.id, recipients: addresses.length, at, audit }),
    );
    if (recorded === null) throw notComposed(campaign);
    // A repeated request sends nothing again, also if it came at the same time as the first one.
    if (store.isRepeat) throw new AlreadyDone("the test was sent then");
    return await Promise.all(
      addresses.map(async ({ text }, index): Promise<TestSent> => {
        const message = messages[index] as RenderedMessage;
        try {
          const { reply } = await mail.handOver(sender, message, text);
          return { address: text, reply, isAccepted: true };
        } catch (error) {
          return { address: text, reply: (error as Error).message, isAccepted: false };
        }
      }),
    );
  },
);

/** A text of several lines is not one mailbox, also if its last line looks like an address in brackets. */
function requireTestAddress(given: string): Address {
  if (/\p{Cc}/u.test(given.trim()))
    throw new InvalidInput("to", "must not contain control characters, such as line breaks");
  return requireAddress(given, "to");
}

/** Also who was erased after opting out, and who is on the block list without being a subscriber. */
async function requireNotSuppressed(
  { store }: Pick<Admin, "store">,
  { account }: OfCampaign,
  addresses: readonly Address[],
): Promise<void> {
  const { states } = await store.imports.states({ account, list: null, addresses });
  const refused = addresses.flatMap(({ text }, index) => {
    const { known = null, erased = null, blockedAt = null } = states[index] ?? {};
    const state = blockedAt === null ? stateOf(known?.suppressions ?? erased ?? noSuppressions) : "blocked";
    return state === "active" ? [] : [`${text} (${state})`];
  });
  if (refused.length > 0)
    throw new NotPossible(
      `no test was sent, because suppressed addresses get no mail: ${refused.join(", ")}; remove them from the test`,
    );
}

async function withinLimit<Recorded>(now: number, record: () => Promise<Recorded>): Promise<Recorded> {
  try {
    return await record();
  } catch (error) {
    if (!(error instanceof TestLimitReached)) throw error;
    const { endsAt } = testHourOf(now);
    const next = new Date(endsAt).toISOString().replace(".000Z", "Z");
    throw new RateLimited(
      `no test was sent, because a sender sends at most ${MAX_TESTS_PER_HOUR} test messages an hour, and ${error.message}; send it again at ${next}`,
      Math.ceil((endsAt - now) / 1000),
    );
  }
}

async function rendered<Made>(make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof RendererBusy) throw new NotPossible(error.message);
    if (!(error instanceof TemplateProblem)) throw error;
    throw new NotPossible(`the message cannot be made: ${error.message}`);
  }
}
