/** A menu that opens without a script. */
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

export interface MenuLink {
  readonly label: string;
  readonly href: string;
  readonly isDanger?: boolean;
}

/** `label` is read out, and shown unless the menu is only three dots. */
export const menu = (label: string, links: readonly MenuLink[], look: "button" | "dots" = "button"): Html =>
  html`<details class="menu menu-end"><summary class="button ${look === "dots" ? "quiet icon-only" : "plain"}"${
    look === "dots" ? html` aria-label="${label}"` : null
  }>${look === "dots" ? icon("more") : html`<span>${label}</span>${icon("down")}`}</summary>
<ul class="menu-items">
${links.map(
  ({
    label: text,
    href,
    isDanger,
  }) => html`<li><a href="${href}"${isDanger === true ? html` class="danger"` : null}>${text}</a></li>
`,
)}</ul></details>`;
