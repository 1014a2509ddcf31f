/** The merge fields that templates may use, to be copied. */
import type { Visit } from "#console/kit/visit.ts";
import type { Field } from "#domain/field/field.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "./compose.texts.ts";

const ofPerson = ["email", "first_name", "last_name", "gender", "birthday", "country"];
const ofCampaign = [
  ...["unsubscribe_url", "postal_address", "sender_name", "subject", "preheader", "campaign_name"],
];

const nameIn = (name: string): string =>
  /^[a-z_]\w*$/i.test(name)
    ? `fields.${name}`
    : name.includes('"')
      ? `fields['${name}']`
      : `fields["${name}"]`;

const codes = (names: readonly string[]): Html =>
  html`<ul>${names.map((name) => html`<li><code>{{ ${name} }}</code></li>`)}</ul>`;

export const mergeFieldsPart = ({ link }: Pick<Visit, "link">, fields: readonly Field[]): Html =>
  html`<details class="samples"><summary>${texts.mergeFields}</summary>
<p>${texts.mergeFieldsHint} <code>${texts.example}</code></p>
<h3>${texts.ofPerson}</h3>${codes(ofPerson)}
${fields.length === 0 ? null : html`<h3>${texts.ofFields}</h3>${codes(fields.map(({ name }) => nameIn(name)))}`}
<p><a href="${link("/fields")}">${texts.toFields}</a></p>
<h3>${texts.ofCampaign}</h3>${codes(ofCampaign)}</details>`;
