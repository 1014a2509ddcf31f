/**
 * Rules for what a campaign says and to whom. Whether templates can be rendered is checked before a start.
 */
import type { UnknownReference } from "#domain/ports/sending/mailings.ts";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import { hasAtMost } from "#domain/text/text-length.ts";
import { InvalidInput, NotFound } from "../../kit/errors.ts";

/** Every value may be left out: it stays as it is, or empty in a new campaign. */
export type GivenContent = { readonly [Name in keyof CampaignContent]?: CampaignContent[Name] | undefined };

export const MAX_SUBJECT = 500;
/** Longer templates are not rendered. */
export const MAX_BODY = 300_000;
export const MAX_LISTS = 1000;

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
export function requireConsistent({ html, markdown, lists, excludedLists }: CampaignContent): void {
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
