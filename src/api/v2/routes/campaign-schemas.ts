/** What routes of composed campaigns share: the content, the sending, the checks. */
import { type Static, Type } from "typebox";
import { type AudienceSize, precisions } from "#admin/campaigns/audience.ts";
import { type Check, checkNames } from "#admin/campaigns/checks.ts";
import { MAX_LISTS } from "#admin/campaigns/compose.ts";
import type { Sending } from "#admin/campaigns/progress.ts";
import { type CampaignContent, type ComposedCampaign, mailingStates } from "#domain/sending/mailing.ts";
import type { RecipientCounts, RecipientState } from "#domain/sending/recipient.ts";
import {
  camel,
  Id,
  idOrNull,
  Named,
  Nullable,
  OneOf,
  OneOfCamel,
  readId,
  Time,
  written,
} from "../kit/schemas.ts";
import { FilterInput, FilterSchema, readFilter, toFilter } from "./filter-schemas.ts";

export const readLists = (ids: readonly string[], input = "lists"): readonly number[] =>
  ids.map((id) => readId(id, "list", input));

const texts = {
  subject: Type.String({ description: "A Liquid template.", examples: ["Hello {{ first_name }}"] }),
  preheader: Type.String({
    description: "The text that mail programs show beside the subject. A Liquid template.",
  }),
  layout: Nullable(
    Type.String({
      description: "The layout around Markdown; null: the plain one. See `…/campaign-layouts`.",
    }),
  ),
  html: Nullable(Type.String({ description: "A Liquid template. Not together with `markdown`." })),
  markdown: Nullable(Type.String({ description: "A Liquid template. Not together with `html`." })),
  text: Nullable(Type.String({ description: "A Liquid template; null: made from `html` or `markdown`." })),
};
const ids = {
  senderId: Nullable(Id("The id of the sender; null: none is chosen yet.")),
  listIds: Type.Array(Id(), { maxItems: MAX_LISTS, description: "The lists whose subscribers get it." }),
  excludedListIds: Type.Array(Id(), {
    maxItems: MAX_LISTS,
    description: "The lists whose subscribers do not get it, whatever other list they are on.",
  }),
};
const { subject, preheader, layout, html, markdown, text } = texts;
const filter = Type.Optional(FilterInput);
/** Every member may be left out. */
export const givenContent = {
  senderId: Type.Optional(ids.senderId),
  subject: Type.Optional(subject),
  preheader: Type.Optional(preheader),
  layout: Type.Optional(layout),
  html: Type.Optional(html),
  markdown: Type.Optional(markdown),
  text: Type.Optional(text),
  listIds: Type.Optional(ids.listIds),
  excludedListIds: Type.Optional(ids.excludedListIds),
  filter,
};
/** To whom a campaign goes. */
export const givenAudience = { listIds: ids.listIds, excludedListIds: givenContent.excludedListIds, filter };
const GivenContent = Type.Object(givenContent);

export const readContent = (given: Static<typeof GivenContent>): Partial<CampaignContent> => {
  const { senderId, listIds, excludedListIds, filter: conditions, ...same } = given;
  return {
    ...same,
    ...(conditions === undefined ? {} : { filter: readFilter(conditions) }),
    ...(senderId === undefined
      ? {}
      : { sender: senderId === null ? null : readId(senderId, "sender", "sender") }),
    ...(listIds === undefined ? {} : { lists: readLists(listIds) }),
    ...(excludedListIds === undefined ? {} : { excludedLists: readLists(excludedListIds, "excludedLists") }),
  };
};
/** The names in requests of what the actions call otherwise. */
export const contentInputs = { sender: "senderId", lists: "listIds", excludedLists: "excludedListIds" };

export const State = (description = "") =>
  OneOf(
    mailingStates,
    `${description} \`selecting\`: the recipients are being selected. \`held\`: after a restore, or for the reason that is given, such as a start that was missed by more than an hour, it waits until somebody resumes or cancels it.`.trim(),
  );

export const ContentSchema = Named("CampaignContent", {
  campaignId: Id(),
  name: Type.String(),
  state: State(),
  ...ids,
  filter: FilterSchema,
  ...texts,
});
export const toContent = ({ campaign: { id, name }, content, mailing }: ComposedCampaign) => {
  const { sender, lists, excludedLists, filter: conditions, ...same } = content;
  return {
    ...{ campaignId: String(id), name, state: mailing.state, senderId: idOrNull(sender), ...same },
    listIds: lists.map(String),
    excludedListIds: excludedLists.map(String),
    filter: toFilter(conditions),
  };
};
/** What has the version: the name and the content. */
export const versionedContent = ({ campaign: { name }, content }: ComposedCampaign) => ({ name, ...content });

const counts = {
  queued: Type.Integer(),
  sending: Type.Integer(),
  sent: Type.Integer(),
  deferred: Type.Integer({ description: "The relay asked to try again later." }),
  failed: Type.Integer(),
  skipped: Type.Integer({
    description: "They got nothing, for instance because they unsubscribed meanwhile.",
  }),
  unknown: Type.Integer({
    description:
      "The connection was lost after the message was handed over: nobody knows whether it arrived.",
  }),
} satisfies Record<RecipientState, unknown>;
export const RecipientCountsSchema = Named("RecipientCounts", counts);
export const toRecipientCounts = (given: RecipientCounts) => ({ ...given });

export const SendingSchema = Named("Sending", {
  campaignId: Id(),
  state: State(),
  isHttpAllowed: Type.Boolean({ description: "Whether unsubscribe links may be http, for trying out." }),
  scheduledAt: Nullable(Time()),
  startedAt: Nullable(Time("When its recipients were selected.")),
  endedAt: Nullable(Time()),
  waitsUntilAt: Nullable(
    Time(
      "Nothing is handed over before: the relay cannot be reached or refuses for now, or the limit of the sender for a day, or for each domain and minute, is reached.",
    ),
  ),
  reason: Nullable(
    Type.String({
      description: "Why it waits, was paused or is held; in the relay's words if they are known.",
    }),
  ),
  selectedCount: Type.Integer({ description: "How many recipients were selected." }),
  counts: RecipientCountsSchema,
  bouncedCount: Type.Integer({ description: "How many of those that failed have bounced." }),
  purgedAt: Nullable(Time("When the entries of the recipients were deleted; the numbers stay.")),
  progress: Type.Object({
    doneCount: Type.Integer({ description: "Recipients with whom nothing is left to do." }),
    totalCount: Type.Integer(),
    perSecond: Nullable(
      Type.Number({
        description:
          "How many recipients are done per second, measured since an earlier request, at most a minute ago, or since the start if it is as recent. null: not known yet, or nothing is being sent.",
      }),
    ),
    secondsLeft: Nullable(
      Type.Integer({
        description:
          "null: `perSecond` is 0 or not known, or the campaign has started less than 30 seconds ago.",
      }),
    ),
    relayPerSecond: Nullable(
      Type.Number({
        description:
          "About how many messages a second the relay accepts, while the campaign is being sent. null: it has refused none because they came too fast.",
      }),
    ),
  }),
});
export const toSending = ({ campaign, allowsHttp, waitsUntil, selected, progress, ...sending }: Sending) => {
  const { state, scheduledAt, startedAt, endedAt, reason, counts, bouncedCount, purgedAt } = sending;
  return {
    ...written({ campaignId: campaign, scheduledAt, startedAt, endedAt, waitsUntilAt: waitsUntil, purgedAt }),
    ...{ state, isHttpAllowed: allowsHttp, reason, selectedCount: selected, counts, bouncedCount },
    progress: { ...progress, doneCount: progress.done, totalCount: progress.total },
  };
};
export const AudienceSchema = Named("AudienceSize", {
  count: Type.Integer({ description: "How many people get it if it is sent now, each of them once." }),
  precision: OneOfCamel(
    precisions,
    "Not `exact`: counting took too long. `atLeast`: with a filter, nobody knows how many of the others match.",
  ),
});
export const toAudienceSize = ({ count, precision }: AudienceSize) => ({
  count,
  precision: camel(precision),
});
export const CheckSchema = Named("CampaignCheck", {
  name: OneOfCamel(checkNames),
  status: OneOf(["passed", "warning", "failed"], "A warning does not prevent a start."),
  text: Type.String({ description: "What was found." }),
  advice: Nullable(Type.String({ description: "What to do; null: nothing." })),
});
export const toCheck = ({ name, ...check }: Check) => ({ name: camel(name), ...check });
