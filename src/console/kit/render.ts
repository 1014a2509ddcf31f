/** Content of a page within the frame. */
import { assets } from "../../html/assets.ts";
import { htmlDocument } from "../../html/document.ts";
import { html } from "../../html/html.ts";
import { isIn, type Section } from "../navigation.ts";
import type { Failure } from "./failures.ts";
import { type Content, content } from "./page.ts";
import type { AccountChoice } from "./visit.ts";

/** What the frame shows beside the content. */
export interface Surroundings {
  /** The address of the console. */
  readonly base: string;
  /** null: nobody is signed in. */
  readonly user: { readonly email: string; readonly name: string } | null;
  /** The account of the page, and those to switch to. */
  readonly account: AccountChoice | null;
  readonly accounts: readonly AccountChoice[];
  readonly sections: readonly Section[];
  /** The path of the page as it is declared. */
  readonly pagePath: string;
  readonly notice: string | null;
}

const inlined = assets();

export function render(around: Surroundings, { title, body }: Content): string {
  const { base, user, account, accounts, sections, pagePath, notice } = around;
  const navigation =
    account === null
      ? null
      : html`<nav>${sections.map(
          (one) =>
            html`<a href="${base}/${account.id}${one.path}"${isIn(one, pagePath) ? html` aria-current="page"` : null}>${one.title}</a> `,
        )}</nav>`;
  const switcher = html`<ul>${accounts.map((one) => html`<li><a href="${base}/${one.id}">${one.name}</a></li>`)}</ul>`;
  const signedIn =
    user === null ? null : html`<p><a href="${base}/me">${user.name === "" ? user.email : user.name}</a></p>`;
  return htmlDocument(
    `${title} – Mailroll`,
    inlined,
    html`${navigation}${switcher}${signedIn}<main>${notice === null ? null : html`<p role="status">${notice}</p>`}<h1>${title}</h1>${body}</main>`,
  );
}

export const failureContent = ({ title, text }: Failure): Content => content(title, html`<p>${text}</p>`);
