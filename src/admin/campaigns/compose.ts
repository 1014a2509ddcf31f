/** Composes campaigns: what they say and to whom. Nothing is sent. */

import { isLayoutName, type LayoutName, layoutNames, layouts } from "#delivery/layouts/layouts.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { ListId } from "#domain/list.ts";
import type { UnknownReference } from "#domain/ports/sending/mailings.ts";
import {
  type CampaignContent,
  type ComposedCampaign,
  copyName,
  emptyContent,
  type Mailing,
  type MailingChange,
  type MailingState,
  mayRetry,
} from "#domain/sending/mailing.ts";
import { hasAtMost } from "#domain/text.ts";
import { type Admin, audited, type InAccount, query } from "../kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { requireConditions } from "../subscribers/conditions.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";

// Finds a campaign that is composed here.

/** Throws NotFound, also if the campaign was only recorded. */
export async function findComposed(admin: Admin, one: OfCampaign): Promise<ComposedCampaign> {
  const { account, campaign } = one;
  const found = await admin.store.mailings.byId({ account, campaign });
  if (found !== null) return found;
  await findCampaign(admin, one);
  throw notComposed(campaign);
}

export const notComposed = (id: CampaignId): NotFound =>
  new NotFound("composed campaign", id, [
    `campaign ${id} was recorded, because another tool sends it; to send one with Mailroll, compose it`,
  ]);

/** The states of a composed campaign in words, and why a state does not allow a change. */
const timeText = (at: number | null): string => (at === null ? "now" : new Date(at).toISOString());

/** A sentence without its subject. */
const stateTexts: Readonly<Record<MailingState, (mailing: Mailing) => string>> = {
  draft: () => "is a draft",
  scheduled: ({ scheduledAt }) => `is scheduled for ${timeText(scheduledAt)}`,
  selecting: () => "is about to be sent; its recipients are being selected",
  sending: () => "is being sent",
  paused: () => "is paused",
  held: () => "is held until somebody resumes it",
  finished: () => "was sent",
  cancelled: () => "was cancelled",
};
export const stateText = (mailing: Mailing): string => stateTexts[mailing.state](mailing);

const SENT = "what was sent cannot be changed; compose a new campaign";
const ENDED = "to send it once more, compose a new campaign";
const RETRY = "only a retry sends it again, to recipients who are failed or unknown";
type Change = MailingChange | "edit" | "retry";
/** Where a state is missing, it allows the change. */
const advice: Readonly<Record<Change, Partial<Readonly<Record<MailingState, string>>>>> = {
  schedule: {
    selecting: "to stop it, pause it",
    sending: "to stop it, pause it",
    paused: "resume it instead",
    held: "resume it instead",
    finished: ENDED,
    cancelled: ENDED,
  },
  unschedule: {
    draft: "there is nothing to take back",
    selecting: "pause or cancel it instead",
    sending: "pause or cancel it instead",
    paused: "cancel it instead",
    held: "cancel it instead, or resume it",
    finished: ENDED,
    cancelled: ENDED,
  },
  pause: {
    draft: "there is nothing to pause",
    scheduled: "unschedule it instead",
    paused: "resume it when it should go on",
    held: "nothing is sent until somebody resumes it",
    finished: ENDED,
    cancelled: ENDED,
  },
  resume: {
    draft: "send it instead",
    scheduled: "it starts by itself",
    selecting: "it goes on by itself; pause or cancel it to stop it",
    sending: "it goes on by itself; pause or cancel it to stop it",
    finished: ENDED,
    cancelled: ENDED,
  },
  cancel: { draft: "delete it instead", finished: ENDED, cancelled: ENDED },
  edit: {
    scheduled: "unschedule it first, then change it",
    selecting: SENT,
    sending: SENT,
    paused: SENT,
    finished: SENT,
    cancelled: SENT,
    held: "what was scheduled cannot be changed; cancel it, and compose a new campaign",
  },
  retry: {
    draft: "nothing of it was sent",
    scheduled: "nothing of it was sent",
    selecting: "nothing of it was sent",
    finished: "what became of each recipient is not stored any more, so nobody can be tried again",
    cancelled: "what became of each recipient is not stored any more, so nobody can be tried again",
  },
};

/** Why the campaign cannot be changed so now, and what to do. */
export function wrongState(mailing: Mailing, change: keyof typeof advice): NotPossible {
  const wanted = advice[change][mailing.state];
  const next = wanted === ENDED && mayRetry(mailing) ? `${RETRY}; ${ENDED}` : wanted;
  return new NotPossible(
    `campaign ${mailing.campaign} ${stateText(mailing)}${next === undefined ? "" : `; ${next}`}`,
  );
}

export const stillRestoring = (campaign: CampaignId): NotPossible =>
  new NotPossible(
    `campaign ${campaign} was cancelled during a retry, and its recipients are still being restored to what they were before; try again in a minute`,
  );

// Rules for what a campaign says and to whom. Whether templates can be rendered is checked before a start.

/** Every value may be left out: it stays as it is, or empty in a new campaign. */
export type GivenContent = { readonly [Name in keyof CampaignContent]?: CampaignContent[Name] | undefined };

export const MAX_SUBJECT = 500;
/** Longer templates are not rendered. */
export const MAX_BODY = 300_000;
export const MAX_LISTS = 1000;

/** What is given, checked part by part. */
export function requireContent(given: GivenContent): Partial<CampaignContent> {
  const { subject, preheader, lists, excludedLists } = given;
  if (subject !== undefined) requireLine("subject", subject);
  if (preheader !== undefined) requireLine("preheader", preheader);
  for (const name of ["html", "markdown", "text"] as const) requireBody(name, given[name]);
  for (const [name, ids] of [["lists", lists] as const, ["excludedLists", excludedLists] as const])
    if (ids !== undefined && ids.length > MAX_LISTS)
      throw new InvalidInput(name, `must be at most ${MAX_LISTS}`);
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(values) as Partial<CampaignContent>),
    ...(lists === undefined ? {} : { lists: [...new Set(lists)] }),
    ...(excludedLists === undefined ? {} : { excludedLists: [...new Set(excludedLists)] }),
  };
}

/** Of the whole content, after the changes. */
function requireConsistent({ html, markdown, lists, excludedLists }: CampaignContent): void {
  if (html !== null && markdown !== null)
    throw new InvalidInput("markdown", "must not be given together with HTML; remove one of them");
  const both = excludedLists.find((id) => lists.includes(id));
  if (both !== undefined)
    throw new InvalidInput(
      "excludedLists",
      `list ${both} is included and excluded; remove it from one of them`,
    );
}

function requireLine(input: string, text: string): void {
  if (!hasAtMost(MAX_SUBJECT, text) || /\p{Cc}/u.test(text))
    throw new InvalidInput(input, `must have at most ${MAX_SUBJECT} characters on one line`);
}

function requireBody(input: string, text: string | null | undefined): void {
  if (typeof text !== "string") return;
  if (text.length > MAX_BODY) throw new InvalidInput(input, `must have at most ${MAX_BODY} characters`);
  if (text.includes("\0")) throw new InvalidInput(input, "must not contain a NUL character");
}

export function requireKnown<Made extends object>(made: Made | UnknownReference): Made {
  if ("unknownList" in made) throw new NotFound("list", made.unknownList, [], "lists");
  if ("unknownSender" in made) throw new NotFound("sender", made.unknownSender, [], "sender");
  return made as Made;
}

/** A draft. */
export const composeCampaign = audited(
  "campaign.compose",
  "editor",
  async (
    { store, clock, audit },
    { account, name, ...given }: InAccount & GivenContent & { readonly name: string },
  ): Promise<ComposedCampaign> => {
    const changes = requireContent(given);
    const filter = await requireConditions({ store }, account, changes.filter ?? []);
    const content = { ...emptyContent, ...changes, filter };
    requireConsistent(content);
    requireLayout(content.layout);
    const made = await store.mailings.create({
      ...{ account, name: requireName(name), content, at: clock(), audit },
    });
    return requireKnown(made);
  },
);

/** Of a draft: what is given is changed, the rest stays. */
export const setContent = audited(
  "campaign.setContent",
  "editor",
  async (
    admin,
    { account, campaign, name, ...given }: OfCampaign & GivenContent & { readonly name?: string | undefined },
  ): Promise<ComposedCampaign> => {
    const { content } = await findComposed(admin, { account, campaign });
    const { filter, ...others } = requireContent(given);
    const checked = filter && (await requireConditions(admin, account, filter, content.filter));
    const changes = { ...others, ...(checked === undefined ? {} : { filter: checked }) };
    requireConsistent({ ...content, ...changes });
    if (changes.layout !== undefined) requireLayout(changes.layout);
    const changed = await admin.store.mailings.setContent({
      ...{ account, campaign, changes, audit: admin.audit },
      ...(name === undefined ? {} : { name: requireName(name) }),
    });
    if (changed === null) throw notComposed(campaign);
    if ("wrongState" in changed) throw wrongState(changed.wrongState, "edit");
    return requireKnown(changed);
  },
);

/**
 * A draft with the whole content of a campaign in any state, except lists and a sender that do not exist any
 * more. It is not scheduled.
 */
export const duplicateCampaign = audited(
  "campaign.duplicate",
  "editor",
  async (
    admin,
    { name: given, ...one }: OfCampaign & { readonly name?: string | undefined },
  ): Promise<ComposedCampaign> => {
    const { store, clock, audit } = admin;
    const { account } = one;
    const { campaign, content } = await findComposed(admin, one);
    const copy = await existingContent(admin, one, content);
    const name = requireName(given ?? copyName(campaign.name));
    return requireKnown(await store.mailings.create({ account, name, content: copy, at: clock(), audit }));
  },
);

/** Without lists and a sender that do not exist any more. */
export async function existingContent(
  admin: Admin,
  one: OfCampaign,
  content: CampaignContent,
): Promise<CampaignContent> {
  const missing = await missingLists(admin, one, content);
  const isThere = (id: ListId): boolean => !missing.includes(id);
  const gone = content.excludedLists.find((id) => !isThere(id));
  if (gone !== undefined)
    throw new NotPossible(
      `campaign ${one.campaign} leaves out the members of list ${gone}, which does not exist any more, so a copy would go to them; compose a new campaign`,
    );
  const { account } = one;
  const { sender: id } = content;
  const sender = id === null ? null : await admin.store.senders.byId({ account, id });
  return { ...content, lists: content.lists.filter(isThere), sender: sender?.id ?? null };
}

/** Lists that the content names, and that do not exist any more. */
export async function missingLists(
  { store }: Admin,
  { account }: InAccount,
  { lists, excludedLists }: CampaignContent,
): Promise<readonly ListId[]> {
  const missing: ListId[] = [];
  for (const id of [...lists, ...excludedLists])
    if ((await store.lists.byId({ account, id })) === null) missing.push(id);
  return missing;
}

export const showContent = query(
  "campaign.content",
  "viewer",
  (admin, one: OfCampaign): Promise<ComposedCampaign> => findComposed(admin, one),
);

export interface ShownLayout {
  readonly name: LayoutName;
  readonly description: string;
  /** With a comment in place of the content: to be copied and changed. */
  readonly html: string;
}
const descriptions: Readonly<Record<LayoutName, string>> = {
  plain: "Text on white, as in a letter.",
  newsletter: "A heading, the content in a column, a footer.",
  announcement: "One message in large letters, with a button.",
};

/** The layouts that come with Mailroll. */
export const listLayouts = query(
  "campaign.layouts",
  "viewer",
  async ({ store }, { account: id }: InAccount): Promise<readonly ShownLayout[]> => {
    if ((await store.accounts.byId({ id })) === null) throw new NotFound("account", id);
    return layoutNames.map((name) => {
      const { start, end } = layouts[name];
      return { name, description: descriptions[name], html: `${start}<!-- content -->${end}` };
    });
  },
);

function requireLayout(name: string | null): void {
  if (name === null || isLayoutName(name)) return;
  throw new InvalidInput("layout", `must be one of ${layoutNames.join(", ")}`);
}
