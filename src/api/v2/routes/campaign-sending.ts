/** Sending campaigns: checks, dry runs, start, pause, and what becomes of it. */
import { Type } from "typebox";
import { countRecipients } from "#admin/campaigns/audience.ts";
import { checkCampaign } from "#admin/campaigns/checks.ts";
import {
  cancelCampaign,
  dryRunCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
  showSending,
  unscheduleCampaign,
} from "#admin/campaigns/send.ts";
import { startsJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Input, Nullable, readTimeOrNull, Time } from "../kit/schemas.ts";
import {
  AudienceSchema,
  CheckSchema,
  contentInputs,
  givenAudience,
  readLists,
  SendingSchema,
  toAudienceSize,
  toCheck,
  toSending,
} from "./campaign-schemas.ts";
import { readFilter } from "./filter-schemas.ts";

const allowsHttp = Type.Optional(
  Type.Boolean({
    default: false,
    description: "Whether unsubscribe links may be http. Only for trying out.",
  }),
);
const ONLY_SERVE = "The processes that serve do it; this request only asks for it.";
const RESUMES = `${ONLY_SERVE} A campaign that has not started is scheduled again: for its own time, or for now if that has passed.`;

const changeRoute = (
  change: "unschedule" | "pause" | "resume" | "cancel",
  action: typeof pauseCampaign,
  summary: string,
  description: string,
) =>
  route(`POST /accounts/{account}/campaigns/{campaign}/${change}`, {
    summary,
    description,
    action,
    reply: SendingSchema,
    answer: toSending,
  });

export const sendingRoutes = [
  route("POST /accounts/{account}/campaigns/{campaign}/check", {
    summary: "Check whether a campaign is ready to be sent",
    description: "Each check says what to do if it failed. Nothing is changed.",
    action: checkCampaign,
    body: Input({ allowsHttp }),
    args: ({ params, body }) => ({ ...params, allowsHttp: body.allowsHttp === true }),
    reply: Type.Object({
      isReady: Type.Boolean(),
      recipients: AudienceSchema,
      checks: Type.Array(CheckSchema),
    }),
    answer: ({ checks, size }) => ({
      isReady: checks.every(({ status }) => status !== "failed"),
      recipients: toAudienceSize(size),
      checks: checks.map(toCheck),
    }),
  }),
  route("POST /accounts/{account}/campaigns:countRecipients", {
    summary: "Count to how many people a campaign would go",
    description: "Counts for at most three seconds. A newer request of the same user ends an older one.",
    action: countRecipients,
    body: Input(givenAudience),
    args: ({ params, body: { listIds, excludedListIds = [], filter = [] } }) => ({
      ...params,
      lists: readLists(listIds),
      excludedLists: readLists(excludedListIds, "excludedLists"),
      filter: readFilter(filter),
    }),
    inputs: contentInputs,
    reply: AudienceSchema,
    answer: toAudienceSize,
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/dry-run", {
    summary: "Make the message of every recipient, without sending it",
    description:
      "A job makes them. Its result says which merge fields are empty, which messages are too large, who is left out and why, and how long the sending will take.",
    action: dryRunCampaign,
    ...startsJob,
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/send", {
    summary: "Send a campaign, now or later",
    description: `If a check fails, nothing is changed, and \`errors\` of the reply has all problems. To send only what you have seen, send the \`ETag\` of its content as \`If-Match\`. ${ONLY_SERVE}`,
    action: sendCampaign,
    body: Input({
      at: Type.Optional(Time("When to start; not more than an hour in the past. If it is not given: now.")),
      allowsHttp,
      expectedCount: Type.Optional(
        Nullable(
          Type.Integer({
            minimum: 0,
            description:
              "How many people get it, as the check has said. If it would go to more, by more than 1 %, nothing is changed.",
          }),
        ),
      ),
    }),
    args: ({ params, body: { at = null, expectedCount: expected = null, ...body } }) => ({
      ...params,
      at: readTimeOrNull(at),
      expected,
      allowsHttp: body.allowsHttp === true,
    }),
    reply: Type.Object({ sending: SendingSchema, warnings: Type.Array(CheckSchema) }),
    answer: ({ sending, warnings }) => ({ sending: toSending(sending), warnings: warnings.map(toCheck) }),
    thing: "campaign content",
    versioned: () => null,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/sending", {
    summary: "Show how far the sending of a campaign got",
    action: showSending,
    reply: SendingSchema,
    answer: toSending,
  }),
  changeRoute(
    "unschedule",
    unscheduleCampaign,
    "Take back the schedule of a campaign",
    "It is a draft again, and can be changed.",
  ),
  changeRoute(
    "pause",
    pauseCampaign,
    "Pause a campaign",
    "Messages that are being handed over are finished first.",
  ),
  changeRoute("resume", resumeCampaign, "Resume a campaign that is paused or held", RESUMES),
  changeRoute("cancel", cancelCampaign, "Cancel a campaign", "Nobody else gets it. It cannot be resumed."),
];
