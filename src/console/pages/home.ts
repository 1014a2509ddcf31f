/** `/console`: leads to the first account of the user. */
import { html } from "../../html/html.ts";
import { content, page, redirect } from "../kit/page.ts";
import * as texts from "./home.texts.ts";

export const home = page({
  path: "/",
  show: async ({ accounts, base }) => {
    const [first] = accounts;
    if (first !== undefined) return redirect(`${base}/${first.id}`);
    return content(texts.title, html`<p>${texts.noAccount}</p>`);
  },
});
