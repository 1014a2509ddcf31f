/** How a message of a campaign looks: as a preview, or as a test message. Neither has a link that works. */
import {
  type MessageProblem,
  type MessageSource,
  type RenderedMessage,
  RendererBusy,
  type TemplateFault,
  TemplateProblem,
} from "#delivery/previews/renderer.ts";
import type { Address } from "#domain/address.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import { collect } from "#domain/paging.ts";
import { TestLimitReached } from "#domain/ports/errors.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { MAX_TESTS_PER_HOUR, testHourOf } from "#domain/sending/delivery.ts";
import { type ComposedCampaign, emptyContent } from "#domain/sending/mailing.ts";
import { type Relay, shownRelays, usedRelays } from "#domain/sending/relay.ts";
import { type Sender, type SenderSecrets, withoutSecrets } from "#domain/sending/sender.ts";
import { noSuppressions, stateOf } from "#domain/subscriber/subscriber.ts";
import { type Admin, audited, type InAccount, query } from "../kit/action.ts";
import { AlreadyDone, InvalidInput, NotFound, NotPossible, RateLimited } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import { requireMail } from "../kit/mail-tools.ts";
import type { OfCampaign } from "./campaigns.ts";
import { findComposed, type GivenContent, notComposed, requireContent } from "./compose.ts";

// What the messages of a campaign are made from: its content, its sender, and the person they are for.

type Written = Pick<ComposedCampaign, "content"> & {
  readonly campaign: Pick<ComposedCampaign["campaign"], "id" | "name">;
};

/** Without the key: its messages are not signed. */
export async function messageSource(
  { store, mail }: Pick<Admin, "store" | "mail">,
  { account }: InAccount,
  { campaign: { id, name }, content }: Written,
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
  { account }: InAccount,
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

const noValues: MergeData = {
  ...{ subscriber: 0, address: "ada@example.org", firstName: "", lastName: "" },
  ...{ gender: null, birthday: null, country: null, fields: {} },
};

export type { MergeData, MessageProblem, RenderedMessage, Sender, TemplateFault };

/** For a subscriber, or for a sample person if `email` is null. */
export const previewCampaign = query(
  "campaign.preview",
  "editor",
  async (admin, one: OfCampaign & { readonly email: string | null }): Promise<RenderedMessage> => {
    const found = await findComposed(admin, one);
    const [source, person] = [await messageSource(admin, one, found), await personFor(admin, one, one.email)];
    return await rendered(() => requireMail(admin).renderer.message(source, person, "preview"));
  },
);

/** For whom a draft is shown: a subscriber, or one of two people who do not exist. */
export type ShownTo = "sample" | "no values" | { readonly email: string };

const shownPerson = (admin: Pick<Admin, "store">, of: InAccount, to: ShownTo): Promise<MergeData> =>
  to === "no values" ? Promise.resolve(noValues) : personFor(admin, of, to === "sample" ? null : to.email);

/** A draft as it is being written. */
export interface ShownDraft {
  readonly person: MergeData;
  /** null: none is chosen. */
  readonly sender: Sender | null;
  readonly hasBaseUrl: boolean;
  /** The names of the custom fields. */
  readonly fields: readonly string[];
  /** null: the templates have `faults`. */
  readonly message: RenderedMessage | null;
  readonly faults: readonly TemplateFault[];
}

/**
 * What was typed and is not saved. Nothing that is missing is an error: `message.missing` names it. Of each
 * user and campaign one draft is rendered, and the latest waits: it ends the questions before it, whose
 * answers nobody reads any more.
 */
export const previewDraft = query(
  "campaign.previewDraft",
  "editor",
  async (
    admin,
    {
      account,
      campaign,
      name,
      to,
      ...given
    }: InAccount &
      GivenContent & {
        /** null: it was not saved yet. */
        readonly campaign: number | null;
        readonly name: string;
        readonly to: ShownTo;
      },
  ): Promise<ShownDraft> => {
    const content = { ...emptyContent, ...requireContent(given) };
    const person = await shownPerson(admin, { account }, to);
    const source = await messageSource(
      admin,
      { account },
      { campaign: { id: campaign ?? 0, name }, content },
    );
    const { sender, baseUrl, fields } = source;
    const shown = { person, sender, fields, hasBaseUrl: baseUrl !== null };
    try {
      const message = await latestOf(JSON.stringify([admin.actor.origin, account, campaign]), () =>
        requireMail(admin).renderer.message(source, person, "draft"),
      );
      return { ...shown, message, faults: [] };
    } catch (error) {
      if (error instanceof RendererBusy) throw new NotPossible(error.message);
      if (!(error instanceof TemplateProblem)) throw error;
      return { ...shown, message: null, faults: error.faults };
    }
  },
);

const making = new Map<string, Promise<unknown>>();
const waiting = new Map<string, object>();

/** Runs after what the asker has asked for before. Throws RendererBusy if the asker has asked again since. */
async function latestOf<Made>(asker: string, make: () => Promise<Made>): Promise<Made> {
  const question = {};
  waiting.set(asker, question);
  await making.get(asker)?.catch(() => {});
  if (waiting.get(asker) !== question) throw new RendererBusy("a newer preview was asked for");
  waiting.delete(asker);
  const made = make();
  making.set(asker, made);
  try {
    return await made;
  } finally {
    if (making.get(asker) === made) making.delete(asker);
  }
}

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
      messages.push(await rendered(() => mail.renderer.message(source, person, "test")));
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
