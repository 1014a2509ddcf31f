/** Composing campaigns: their content, the layouts, and how a message looks. */
import { Type } from "typebox";
import {
  composeCampaign,
  duplicateCampaign,
  listLayouts,
  type ShownLayout,
  setContent,
  showContent,
} from "#admin/campaigns/compose.ts";
import { MAX_TEST_ADDRESSES, previewCampaign, testSend } from "#admin/campaigns/preview.ts";
import {
  KEPT_VERSIONS,
  listVersions,
  restoreVersion,
  type ShownVersion,
  showVersion,
} from "#admin/campaigns/versions.ts";
import { MAX_TESTS_PER_HOUR } from "#domain/sending/delivery.ts";
import { ActorSchema } from "../kit/actor.ts";
import { route } from "../kit/route.ts";
import { camel, Input, Named, Nullable, OneOfCamel, pageOfFew, Time, written } from "../kit/schemas.ts";
import {
  ContentSchema,
  contentInputs,
  givenContent,
  readContent,
  toContent,
  versionedContent,
} from "./campaign-schemas.ts";

const Name = Type.String({ examples: ["Spring offers"] });
/** HTML and text of half a megabyte each, escaped as JSON. */
const BODY_LIMIT = 4 * 1024 ** 2;

const problemKinds = [
  ...(["empty field", "refused value", "long line", "large"] as const),
  ...(["joined links", "needs SMTPUTF8", "not rendered"] as const),
];
const MessageSchema = Named("CampaignMessage", {
  subject: Type.String(),
  html: Nullable(Type.String()),
  text: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  source: Type.String({ description: "The whole message, as a file with the ending .eml has it." }),
  sizeBytes: Type.Integer({ description: "Of the whole message." }),
  htmlBytes: Type.Integer({ description: "Of the HTML. Gmail clips it at 102 KB." }),
  problems: Type.Array(
    Type.Object({
      kind: OneOfCamel(problemKinds),
      mergeField: Type.Optional(Type.String({ description: "The merge field that has no value." })),
      characters: Type.Optional(Type.Integer({ description: "The length of the longest line." })),
      bytes: Type.Optional(Type.Integer({ description: "The size of the HTML." })),
      text: Type.Optional(
        Type.String({
          description:
            "Why it cannot be rendered; the links that run into each other; or the merge field whose value is left out, because it is not allowed where it stands, such as a link to a script.",
        }),
      ),
    }),
  ),
});

const shown = {
  reply: ContentSchema,
  answer: toContent,
  thing: "campaign content",
  versioned: versionedContent,
} as const;

export const composeRoutes = [
  route("POST /accounts/{account}/campaigns:compose", {
    summary: "Compose a campaign",
    description:
      'Creates a draft, which Mailroll itself sends later. Every member except the name can be given later, too. Merge fields are written in Liquid: `{{ email }}`, `{{ first_name }}`, `{{ last_name }}`, `{{ gender }}`, `{{ birthday }}`, `{{ country }}`, `{{ fields["Town"] }}`, `{{ unsubscribe_url }}`, `{{ postal_address }}`, `{{ sender_name }}`, `{{ subject }}`, `{{ preheader }}`, `{{ campaign_name }}`.',
    action: composeCampaign,
    body: Input({ name: Name, ...givenContent }),
    bodyLimit: BODY_LIMIT,
    args: ({ params, body: { name, ...content } }) => ({ ...params, name, ...readContent(content) }),
    inputs: contentInputs,
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/content", {
    summary: "Show what a campaign says and to whom",
    action: showContent,
    ...shown,
  }),
  route("PATCH /accounts/{account}/campaigns/{campaign}/content", {
    summary: "Change what a campaign says and to whom",
    description: "Only of a draft. A member that is not given stays as it is.",
    action: setContent,
    body: Input({ name: Type.Optional(Name), ...givenContent }),
    bodyLimit: BODY_LIMIT,
    args: ({ params, body: { name, ...content } }) => ({ ...params, name, ...readContent(content) }),
    inputs: contentInputs,
    ...shown,
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/duplicate", {
    summary: "Duplicate a campaign",
    description:
      "Creates a draft with what the campaign says and to whom, whatever its state. Lists and a sender that were deleted since are left out.",
    action: duplicateCampaign,
    body: Input({
      name: Type.Optional(
        Type.String({ description: "If absent, `Copy of` and the name of the campaign.", examples: ["May"] }),
      ),
    }),
    args: ({ params, body: { name } }) => ({ ...params, name }),
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/content/versions", {
    summary: "List the last versions of a draft",
    description: `What it said when it was saved, the newest first; the last ${KEPT_VERSIONS} are kept. What the same user saves within ten minutes is one version.`,
    action: listVersions,
    ...pageOfFew(
      Named("CampaignVersion", {
        number: Type.Integer({ description: "From 1." }),
        savedAt: Time(),
        by: ActorSchema,
      }),
      ({ number, savedAt, by }: ShownVersion) => written({ number, savedAt, by }),
    ),
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/content/versions/{version}", {
    summary: "Show what a draft said when it was saved",
    action: showVersion,
    args: ({ params }) => params,
    reply: ContentSchema,
    answer: toContent,
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/content/versions/{version}/restore", {
    summary: "Restore a version of a draft",
    description:
      "The draft says again what it said then. Lists and a sender that were deleted since are left out. What it says now stays a version.",
    action: restoreVersion,
    args: ({ params }) => params,
    ...shown,
  }),
  route("GET /accounts/{account}/campaign-layouts", {
    summary: "List the layouts around Markdown",
    action: listLayouts,
    ...pageOfFew(
      Named("CampaignLayout", {
        name: Type.String(),
        description: Type.String(),
        html: Type.String({ description: "To be copied and changed, as the HTML of a campaign." }),
      }),
      (layout: ShownLayout) => ({ ...layout }),
    ),
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/preview", {
    summary: "Preview the message of a campaign",
    description:
      "For a subscriber, or for a sample person who has a value of every field. The unsubscribe link in it does not work. Nothing is sent.",
    action: previewCampaign,
    body: Input({
      email: Type.Optional(Nullable(Type.String({ description: "null or absent: a sample person." }))),
    }),
    args: ({ params, body: { email = null } }) => ({ ...params, email }),
    reply: MessageSchema,
    answer: ({ subject, html, text, headers, source, size, htmlSize, problems }) => ({
      ...{ subject, html, text, headers: [...headers], source, sizeBytes: size, htmlBytes: htmlSize },
      problems: problems.map((problem) => {
        if (problem.kind === "empty field") return { kind: "emptyField" as const, mergeField: problem.field };
        const { kind, ...more } = problem;
        return { kind: camel(kind), ...more };
      }),
    }),
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/test", {
    summary: "Send test messages of a campaign",
    description: `Sends now, through the relay of the sender. The subject begins with [Test], and the unsubscribe link unsubscribes nobody. A subscriber gets their own message, any other address that of a sample person. A suppressed address is refused. It does not count as sent. A sender sends at most ${MAX_TESTS_PER_HOUR} test messages an hour, for all users together.`,
    action: testSend,
    body: Input({
      emails: Type.Array(Type.String({ examples: ["ada@example.org"] }), {
        minItems: 1,
        maxItems: MAX_TEST_ADDRESSES,
      }),
    }),
    args: ({ params, body: { emails } }) => ({ ...params, to: emails }),
    inputs: { to: "emails" },
    reply: Type.Object({
      results: Type.Array(
        Type.Object({
          email: Type.String(),
          isAccepted: Type.Boolean(),
          reply: Type.String({ description: "What the relay said." }),
        }),
      ),
    }),
    answer: (results) => ({
      results: results.map(({ address, isAccepted, reply }) => ({ email: address, isAccepted, reply })),
    }),
  }),
];
