/** Prepares the content of a campaign, once: parses, checks, inlines the CSS and makes the text. */
import type { CampaignContent } from "../../domain/sending/mailing.ts";
import type { ContentProblem, MergeSurroundings, Prepared } from "../messages.ts";

export function prepareContent(
  _content: CampaignContent,
  _surroundings: MergeSurroundings,
): Prepared | { readonly problems: readonly ContentProblem[] } {
  return { problems: [{ part: "html", line: null, message: "Content cannot be rendered yet." }] };
}
