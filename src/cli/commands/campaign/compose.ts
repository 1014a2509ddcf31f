/** `mailroll campaign create|edit|duplicate|versions|restore|content|layouts`: what it says, and to whom. */

import {
  composeCampaign,
  duplicateCampaign,
  listLayouts,
  MAX_BODY,
  setContent,
  showContent,
  stateText,
} from "#admin/campaigns/compose.ts";
import { KEPT_VERSIONS, listVersions, restoreVersion } from "#admin/campaigns/versions.ts";
import { inWords } from "#admin/kit/in-words.ts";
import type { CampaignContent, ComposedCampaign } from "#domain/sending/mailing.ts";
import { conditionText } from "#domain/subscriber/filter.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure, type Option, UsageError } from "../../kit/command.ts";
import { CONDITIONS, fieldsOf, type NamedThings, namedIn, readConditions } from "../../kit/conditions.ts";
import { openInput } from "../../kit/files.ts";
import { parseId, withDefaults } from "../../kit/parse-call.ts";
import { counted } from "../../kit/terminal/text.ts";

const NONE = "none";
/** In UTF-8, a character has at most four bytes. */
const MAX_BYTES = 4 * MAX_BODY;

async function readText(file: string): Promise<string> {
  const { stream } = await openInput(file);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Failure(`${file} is too large for a message`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Failure(`${file} is not text in UTF-8; save it in that encoding`);
  }
}

const parseIds = (texts: readonly string[], name: string): readonly number[] =>
  texts.flatMap((ids) => ids.split(",").map((id) => parseId(id.trim(), `--${name}`)));

/** What the options say; what is not given is left out. */
async function givenContent(context: Context): Promise<Partial<CampaignContent>> {
  const { option, options } = context;
  const [sender, layout] = [option("sender"), option("layout")];
  const listed = (name: string) => {
    const ids = options(name);
    if (ids.length === 0) return undefined;
    return ids.length === 1 && ids[0] === NONE ? [] : parseIds(ids, name);
  };
  const [lists, excludedLists] = [listed("list"), listed("exclude")];
  const conditions = options("where");
  const filter =
    conditions.length === 0
      ? undefined
      : conditions.length === 1 && conditions[0] === NONE
        ? []
        : readConditions(conditions, await fieldsOf(context));
  const body = async (name: "html" | "markdown" | "text") => {
    const file = option(name);
    return file === undefined ? {} : { [name]: file === NONE ? null : await readText(file) };
  };
  const [subject, preheader] = [option("subject"), option("preheader")];
  return {
    ...(sender === undefined ? {} : { sender: sender === NONE ? null : parseId(sender, "--sender") }),
    ...(layout === undefined ? {} : { layout: layout === NONE ? null : layout }),
    ...(subject === undefined ? {} : { subject }),
    ...(preheader === undefined ? {} : { preheader }),
    ...(await body("html")),
    ...(await body("markdown")),
    ...(await body("text")),
    ...(lists === undefined ? {} : { lists }),
    ...(excludedLists === undefined ? {} : { excludedLists }),
    ...(filter === undefined ? {} : { filter }),
  };
}

const lengthOf = (text: string | null): string => (text === null ? "-" : counted(text.length, "character"));
const idsOf = (ids: readonly number[]): string => (ids.length === 0 ? "-" : ids.join(", "));

function describe(
  { campaign, content, mailing }: ComposedCampaign,
  { fields, campaigns }: NamedThings,
): string {
  const { id, name } = campaign;
  return [
    `Campaign ${id} (${name}) ${stateText(mailing)}`,
    "",
    `Sender     ${content.sender ?? "-"}`,
    `Lists      ${idsOf(content.lists)}`,
    `Excluded   ${idsOf(content.excludedLists)}`,
    ...content.filter.map(
      (condition, index) =>
        `${index === 0 ? "Only if" : "  and  "}    ${conditionText(condition, fields, campaigns)}`,
    ),
    `Subject    ${content.subject || "-"}`,
    `Preheader  ${content.preheader || "-"}`,
    `HTML       ${lengthOf(content.html)}`,
    `Markdown   ${lengthOf(content.markdown)}${content.markdown === null ? "" : `, layout ${content.layout ?? "plain"}`}`,
    `Text       ${content.text === null ? `made from the ${content.markdown === null ? "HTML" : "Markdown"}` : lengthOf(content.text)}`,
  ].join("\n");
}
const document = ({ campaign, content, mailing }: ComposedCampaign) => ({
  ...campaign,
  state: mailing.state,
  ...inWords(content, { sender: "senderId", lists: "listIds", excludedLists: "excludedListIds" }),
});

const contentOptions = {
  list: { value: "ID", repeated: true, doc: "A list whose subscribers get it; repeat the option for each." },
  where: {
    value: "CONDITION",
    repeated: true,
    doc: "Only subscribers for whom this holds, such as 'country is DE'; repeat the option, then all must hold.",
  },
  exclude: {
    value: "ID",
    repeated: true,
    doc: "A list whose subscribers do not get it, whatever other list they are on; repeat the option for each.",
  },
  sender: { value: "ID", doc: "Who it is from; see 'mailroll sender list'." },
  subject: { value: "TEXT", doc: "The subject." },
  preheader: { value: "TEXT", doc: "The text that mail programs show beside the subject." },
  html: { value: "FILE", doc: "The content as HTML; - for standard input." },
  markdown: { value: "FILE", doc: "The content as Markdown, instead of HTML." },
  text: {
    value: "FILE",
    doc: "The content as plain text; without it, text is made from the HTML or Markdown.",
  },
  layout: {
    value: "NAME",
    doc: "The layout around Markdown; see 'mailroll campaign layouts'.",
  },
} as const satisfies Readonly<Record<string, Option>>;
const MERGE_FIELDS = `Subject, preheader and content are Liquid templates. Merge fields: {{ email }}, {{ first_name }}, {{ last_name }},
{{ gender }}, {{ birthday }}, {{ country }}, {{ fields["Town"] }} for a custom field, {{ unsubscribe_url }},
{{ postal_address }}, {{ sender_name }}, {{ subject }}, {{ preheader }}, {{ campaign_name }}. A default:
{{ first_name | default: "friend" }}. HTML and text must contain {{ postal_address }} and a link to
{{ unsubscribe_url }}; the layouts have both.`;
const inputs = { lists: "list", excludedLists: "exclude", filter: "where" };

export const composeCommands: readonly Command[] = [
  {
    name: "campaign create",
    args: ["NAME"],
    options: withDefaults(contentOptions, { layout: "plain" }),
    doc: "Creates a campaign for Mailroll to send, as a draft; 'campaign send' sends it.",
    details: `${MERGE_FIELDS}

${CONDITIONS}

Everything but the name can be given later, with 'mailroll campaign edit'.`,
    example:
      "campaign create 'Spring offers' --list 1 --sender 1 --subject 'Spring is here' --markdown spring.md",
    inputs,
    run: async (context) => {
      const { args, performInAccount, out } = context;
      const content = await givenContent(context);
      const made = await performInAccount(composeCampaign, { name: args[0] ?? "", ...content });
      const named = await namedIn(context, made.content.filter);
      out.result(
        document(made),
        () => `${describe(made, named)}\n\nLook at it: ${PROGRAM} campaign preview ${made.campaign.id}`,
      );
    },
  },
  {
    name: "campaign edit",
    args: ["ID"],
    options: { name: { value: "NAME", doc: "The name." }, ...contentOptions },
    doc: "Changes the content, lists or sender of a draft. Other values stay as they are.",
    details: `--list and --exclude replace all lists, and --where all conditions. 'none' removes a value: --html none, --where none.

${CONDITIONS}

${MERGE_FIELDS}`,
    example: "campaign edit 1 --subject 'Spring is here' --preheader 'New colours'",
    inputs,
    run: async (context) => {
      const { args, option, performInAccount, out } = context;
      const campaign = parseId(args[0], "ID");
      const content = await givenContent(context);
      const name = option("name");
      if (name === undefined && Object.keys(content).length === 0)
        throw new UsageError("nothing to change: give at least one option, such as --subject");
      const changed = await performInAccount(setContent, {
        campaign,
        ...(name === undefined ? {} : { name }),
        ...content,
      });
      const named = await namedIn(context, changed.content.filter);
      out.result(document(changed), () => describe(changed, named));
    },
  },
  {
    name: "campaign duplicate",
    args: ["ID"],
    options: { name: { value: "NAME", doc: "The name of the copy; without it, 'Copy of' and the name." } },
    doc: "Creates a draft with the content, lists and sender of a campaign, whatever its state.",
    example: "campaign duplicate 1 --name 'Spring offers in May'",
    run: async (context) => {
      const { args, option, performInAccount, out } = context;
      const campaign = parseId(args[0], "ID");
      const made = await performInAccount(duplicateCampaign, { campaign, name: option("name") });
      const named = await namedIn(context, made.content.filter);
      out.result(
        document(made),
        () => `${describe(made, named)}\n\nChange it: ${PROGRAM} campaign edit ${made.campaign.id}`,
      );
    },
  },
  {
    name: "campaign versions",
    args: ["ID"],
    doc: `Lists the last ${KEPT_VERSIONS} versions of a draft, the newest first.`,
    example: "campaign versions 1",
    run: async ({ args, performInAccount, out }) => {
      const versions = await performInAccount(listVersions, { campaign: parseId(args[0], "ID") });
      out.table(versions, "The draft was not saved since versions are kept.", ({ number, savedAt, by }) => ({
        ...{ number, savedAt, by: by.name ?? by.kind },
      }));
    },
  },
  {
    name: "campaign restore",
    args: ["ID", "VERSION"],
    doc: "Restores a version of a draft. What it says now stays a version.",
    example: "campaign restore 1 3",
    run: async (context) => {
      const { args, performInAccount, out } = context;
      const of = { campaign: parseId(args[0], "ID"), version: parseId(args[1], "VERSION") };
      const restored = await performInAccount(restoreVersion, of);
      const named = await namedIn(context, restored.content.filter);
      out.result(document(restored), () => describe(restored, named));
    },
  },
  {
    name: "campaign content",
    args: ["ID"],
    doc: "Shows the content, lists and sender of a campaign; with --json, also the templates.",
    example: "campaign content 1",
    run: async (context) => {
      const { args, perform, account, out } = context;
      const one = { account: (await account()).id, campaign: parseId(args[0], "ID") };
      const found = await perform(showContent, one);
      const named = await namedIn(context, found.content.filter);
      out.result(document(found), () => describe(found, named));
    },
  },
  {
    name: "campaign layouts",
    args: ["[NAME]"],
    doc: "Lists the layouts around Markdown, or prints one as HTML, to be copied and changed.",
    example: "campaign layouts newsletter",
    run: async ({ args, performInAccount, out }) => {
      const layouts = await performInAccount(listLayouts, {});
      const [name] = args;
      if (name === undefined) {
        out.table(layouts, "There are no layouts.", (one) => ({
          name: one.name,
          description: one.description,
        }));
        return;
      }
      const found = layouts.find((one) => one.name === name);
      if (found === undefined)
        throw new UsageError(
          `NAME must be one of ${layouts.map((one) => one.name).join(", ")}; '${name}' is none of them`,
        );
      out.result(found, () => found.html);
    },
  },
];
