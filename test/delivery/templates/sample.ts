/** Contents, persons and surroundings for the tests of rendering. */
import assert from "node:assert/strict";
import type { ContentProblem, Prepared, Rendered } from "#delivery/messages.ts";
import type { MergeSurroundings } from "#delivery/templates/merge-fields.ts";
import { prepareContent } from "#delivery/templates/prepare.ts";
import { renderFor } from "#delivery/templates/render.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { type CampaignContent, emptyContent } from "#domain/sending/mailing.ts";

export const url = "https://mail.example.org/u/AAECAwQFBgcICQoLDA0ODw";
export const surroundings: MergeSurroundings = {
  fields: ["Town", "Favourite colour", "Web site", "__proto__"],
  campaignName: "Spring",
  sender: { fromName: "Garden Club", postalAddress: "Garden Club\n1 Main Street\nOxford" },
};
export const ada: MergeData = {
  subscriber: 7,
  address: "ada@example.org",
  firstName: "Ada",
  lastName: "Lovelace",
  gender: "female",
  birthday: "1815-12-10",
  country: "GB",
  fields: { Town: "London" },
};
export const nobody: MergeData = {
  ...{ subscriber: 8, address: "x@example.org", firstName: "", lastName: "" },
  ...{ gender: null, birthday: null, country: null, fields: {} },
};
/** What every message must contain. */
export const footer = '<p>{{ postal_address }} <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>';
export const textFooter = "\n{{ postal_address }}\n{{ unsubscribe_url }}\n";

export const content = (given: Partial<CampaignContent>): CampaignContent => ({
  ...emptyContent,
  subject: "News",
  ...given,
});

export function problemsOf(given: Partial<CampaignContent>): readonly ContentProblem[] {
  const result = prepareContent(content(given), surroundings);
  return "problems" in result ? result.problems : [];
}
export function prepared(given: Partial<CampaignContent>): Prepared {
  const result = prepareContent(content(given), surroundings);
  assert.ok(!("problems" in result), "problems" in result ? JSON.stringify(result.problems) : "");
  return result;
}
export function rendered(given: Partial<CampaignContent>, person: MergeData = ada): Rendered {
  const result = renderFor(prepared(given), person, url);
  assert.ok(!("cannotRender" in result), "cannotRender" in result ? result.cannotRender : "");
  return result;
}
/** The HTML of a template, with the footer and without the document around it. */
export function htmlOf(template: string, person: MergeData = ada): string {
  const html = rendered({ html: `${template}<!--end-->${footer}` }, person).html ?? "";
  return html.slice(html.indexOf("<body>") + "<body>\n".length, html.indexOf("<!--end-->"));
}
export function textOf(template: string, person: MergeData = ada): string {
  const text = rendered({ text: `${template}${textFooter}` }, person).text;
  return text.slice(0, text.indexOf("\nGarden Club"));
}
