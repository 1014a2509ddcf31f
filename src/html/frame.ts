/**
 * A whole page: navigation at the side, the search and the user's menu at the top, a footer with the version.
 * What the pages are and where they lead is handed in. Everything works without scripts: the menu of a small
 * screen is a popover, the menus at the top are `<details>`.
 */
import type { PageAssets } from "./assets.ts";
import { htmlDocument } from "./document.ts";
import { type Html, html, trusted } from "./html.ts";
import { type IconName, icon, mark } from "./icons.ts";

export interface Link {
  readonly label: string;
  readonly href: string;
}
export interface NavigationLink extends Link {
  readonly icon?: IconName;
  readonly isCurrent: boolean;
  /** What waits there, such as a number of refused calls. */
  readonly count?: string | null;
}
export interface NavigationGroup {
  /** Null: the group has no heading. */
  readonly label: string | null;
  readonly links: readonly NavigationLink[];
}
export interface Brand {
  readonly href: string;
  /** Mailroll, unless another service is described. */
  readonly name?: string;
  /** Beside the wordmark, such as "API reference". */
  readonly product?: string | null;
}
export interface AccountSwitcher {
  readonly current: string;
  readonly accounts: readonly (Link & { readonly isCurrent: boolean })[];
  /** Where all accounts are, if these are only the first of them. */
  readonly all?: Link | null;
}
export interface Search {
  /** Where the form is posted, with the field `q`: addresses of people never get into a URL. */
  readonly action: string;
  readonly label: string;
  readonly value?: string;
}
export interface UserMenu {
  readonly name: string;
  /** Shown under the name, such as the role. */
  readonly detail?: string | null;
  readonly links: readonly Link[];
  /** Light or dark: a POST with `theme`, and with `back`, the page to return to. */
  readonly theme: {
    readonly action: string;
    readonly label: string;
    readonly back: string;
    readonly choices: readonly {
      readonly value: string;
      readonly label: string;
      readonly isCurrent: boolean;
    }[];
  };
  /** The form that ends the session: a POST. */
  readonly signOut: { readonly action: string; readonly label: string };
}
export interface Footer {
  readonly version: string;
  readonly links: readonly Link[];
}
export interface Frame {
  readonly title: string;
  readonly assets: PageAssets;
  readonly brand: Brand;
  readonly navigation: readonly NavigationGroup[];
  readonly navigationLabel?: string;
  readonly accounts?: AccountSwitcher | null;
  readonly search?: Search | null;
  readonly user?: UserMenu | null;
  /** At the top of the page: what has just happened. */
  readonly notice?: Html | null;
  readonly body: Html;
  readonly footer: Footer;
}

export const current = (isCurrent: boolean): Html | null =>
  isCurrent ? trusted(' aria-current="page"') : null;

export function frame(page: Frame): string {
  return htmlDocument(
    `${page.title} – ${nameOf(page.brand)}`,
    page.assets,
    html`<a class="skip" href="#main">Skip to the content</a>
<div class="shell">
<header class="bar">
<button type="button" class="button icon-only bar-menu" popovertarget="sidebar" aria-label="Menu">${icon("menu")}</button>
${page.search == null ? html`<span class="bar-space">${brandLink(page.brand)}</span>` : searchField(page.search)}
${page.user == null ? null : userMenu(page.user)}
</header>
<nav class="sidebar" id="sidebar" popover aria-label="${page.navigationLabel ?? "Main"}">
<div class="sidebar-top">
${brandLink(page.brand)}
<button type="button" class="button icon-only sidebar-close" popovertarget="sidebar" popovertargetaction="hide" aria-label="Close the menu">${icon("close")}</button>
</div>
${page.accounts == null ? null : accountSwitcher(page.accounts)}
${page.navigation.map(navigationGroup)}
</nav>
<div class="content">
<main id="main" tabindex="-1">
<div id="notice" aria-live="polite">${page.notice ?? null}</div>
<p id="status" class="visually-hidden" role="status"></p>
${page.body}
</main>
${footer(page.footer)}
</div>
${page.user == null ? null : shortcuts(page.search != null)}
</div>`,
  );
}

/** A page without navigation, such as the sign-in: one card in the middle. */
export function cardFrame(
  page: Pick<Frame, "title" | "assets" | "brand" | "notice" | "body" | "footer">,
): string {
  return htmlDocument(
    `${page.title} – ${nameOf(page.brand)}`,
    page.assets,
    html`<div class="card-page">
<header>${brandLink(page.brand)}</header>
<main id="main" class="card">
<div id="notice" aria-live="polite">${page.notice ?? null}</div>
${page.body}
</main>
${footer(page.footer)}
</div>`,
  );
}

const nameOf = ({ name = "Mailroll" }: Brand): string => name;

const brandLink = ({ href, product, ...brand }: Brand): Html =>
  html`<a class="brand" href="${href}">${mark}<span class="wordmark">${nameOf({ href, ...brand })}</span>${
    product == null ? null : html` <span class="product">${product}</span>`
  }</a>`;

const navigationGroup = ({ label, links }: NavigationGroup): Html => html`${
  label === null ? null : html`<h2>${label}</h2>`
}<ul>
${links.map(
  (link) => html`<li><a href="${link.href}"${current(link.isCurrent)}>${
    link.icon === undefined ? null : icon(link.icon)
  }<span>${link.label}</span>${
    link.count == null ? null : html`<span class="nav-count">${link.count}</span>`
  }</a></li>
`,
)}</ul>
`;

const accountSwitcher = ({ current: name, accounts, all }: AccountSwitcher): Html =>
  html`<details class="menu switcher">
<summary><span class="avatar" aria-hidden="true">${initial(name)}</span><span class="switcher-name"><span class="visually-hidden">Account: </span>${name}</span>${icon("down")}</summary>
<ul class="menu-items">
${accounts.map(
  (account) =>
    html`<li><a href="${account.href}"${current(account.isCurrent)}><span>${account.label}</span>${
      account.isCurrent ? icon("check") : null
    }</a></li>
`,
)}${all == null ? null : html`<li class="menu-line"><a href="${all.href}">${all.label}</a></li>`}</ul>
</details>`;

const searchField = ({ action, label, value }: Search): Html =>
  html`<search class="search"><form action="${action}" method="post">
<label>${icon("search")}<span class="visually-hidden">${label}</span><input type="search" name="q" value="${value ?? ""}" placeholder="${label}" autocomplete="off" autocapitalize="none" spellcheck="false" data-search></label><kbd aria-hidden="true">/</kbd>
</form></search>`;

const SHORTCUTS = "Keyboard shortcuts";
/** `hasSearch`: the page has the field for it. */
const shortcuts = (hasSearch: boolean): Html =>
  html`<div class="shortcuts" id="shortcuts" popover role="dialog" aria-labelledby="shortcuts-title" tabindex="-1">
<h2 id="shortcuts-title">${SHORTCUTS}</h2>
<dl>
${hasSearch ? shortcut("/", "Go to the search field") : null}${shortcut("?", "Show this list")}${shortcut("Esc", "Close a menu or this list, leave the search field")}</dl>
<button type="button" class="button plain" popovertarget="shortcuts" popovertargetaction="hide">Close</button>
</div>`;
const shortcut = (key: string, does: string): Html =>
  html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>
`;

const themeSwitch = ({ action, label, back, choices }: UserMenu["theme"]): Html =>
  html`<form method="post" action="${action}" class="theme" data-theme><input type="hidden" name="back" value="${back}"><fieldset><legend>${label}</legend>${choices.map(
    ({ value, label: text, isCurrent }) =>
      html`<button name="theme" value="${value}" aria-pressed="${String(isCurrent)}">${text}</button>`,
  )}</fieldset></form>`;

const userMenu = ({ name, detail, links, theme, signOut }: UserMenu): Html =>
  html`<details class="menu menu-end user-menu">
<summary aria-label="${name}: your account"><span class="avatar round" aria-hidden="true">${initial(name)}</span></summary>
<div class="menu-items">
<p class="menu-head"><strong>${name}</strong>${detail == null ? null : html`<span>${detail}</span>`}</p>
<ul>
${links.map(
  ({ label, href }) => html`<li><a href="${href}">${label}</a></li>
`,
)}<li><button type="button" popovertarget="shortcuts">${SHORTCUTS} <kbd aria-hidden="true">?</kbd></button></li>
</ul>
${themeSwitch(theme)}
<form method="post" action="${signOut.action}"><button>${signOut.label}</button></form>
</div>
</details>`;

const footer = ({ version, links }: Footer): Html =>
  html`<footer class="foot"><span>Mailroll ${version}</span>${links.map(
    ({ label, href }) => html` <a href="${href}">${label}</a>`,
  )}</footer>`;

const initial = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? "?";
