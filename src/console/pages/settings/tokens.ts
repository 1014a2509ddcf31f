/** `/console/{account}/settings/tokens`: what programs of the user call the JSON API with. */
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { section } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { content, page } from "../../kit/page.ts";
import { tokenForms, tokensPart } from "../me/tokens.ts";
import { placeOf } from "./place.ts";
import * as texts from "./tokens.texts.ts";

export const tokensPage = page({
  path: "/{account}/settings/tokens",
  role: "viewer",
  show: async (visit) => {
    const place = placeOf(visit);
    return content(
      texts.title,
      html`${place.top("/tokens")}
${await tokensPart(visit)}
${
  visit.may("owner")
    ? section(texts.othersTitle, buttonRow(buttonLink({ label: texts.toUsers, href: place.at("/users") })), {
        description: texts.others,
      })
    : null
}`,
    );
  },
  forms: tokenForms,
});
