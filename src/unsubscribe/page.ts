/**
 * The page behind an unsubscribe link, for people who have never heard of Mailroll: one card, one button that
 * matters, no script, and no request but the page itself. It shows the current state and what was just done.
 * It decides nothing.
 */

import type { LinkState } from "#domain/ports/sending/unsubscribe-links.ts";
import { scriptlessAssets } from "#html/assets.ts";
import { htmlDocument } from "#html/document.ts";
import { type Html, html } from "#html/html.ts";
import { shippedFile } from "#shipped.ts";

const assets = scriptlessAssets([shippedFile("unsubscribe/page.css")]);

export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": assets.contentSecurityPolicy,
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex, nofollow",
  // For browsers that do not know frame-ancestors.
  "X-Frame-Options": "DENY",
};

/** Where the buttons of a page are posted, such as `/u/<token>`. */
export interface Place {
  readonly path: string;
  readonly now: number;
}

const page = (title: string, body: Html): string =>
  htmlDocument(
    title,
    assets,
    html`<main class="leaving">
<h1>${title}</h1>
${body}
</main>`,
  );

/** The reader knows the address; a person to whom the message was forwarded does not learn it. */
export function masked(address: string): string {
  const at = address.lastIndexOf("@");
  const [first = "", ...rest] = address.slice(0, at);
  return `${rest.length < 2 ? "" : first}…${address.slice(at)}`;
}

const shown = ({ address }: LinkState): Html => html`<span class="address">${masked(address)}</span>`;

const button = (action: string, label: string | Html, look: string): Html =>
  html`<form method="post" action="${action}"><button class="button ${look}">${label}</button></form>`;
const unsubscribe = ({ path }: Place, look: string, label = "Unsubscribe"): Html => button(path, label, look);

/** What there is to do, whatever was done before. */
export function statePage(state: LinkState | null, place: Place): string {
  if (state === null) return gonePage();
  if (state.isUnsubscribed) return unsubscribedPage(state, place);
  return state.left.length > 0 ? leftPage(state, place) : subscribedPage(state, place);
}

/** After the button "Undo". */
export function undonePage(state: (LinkState & { readonly isUndone: boolean }) | null, place: Place): string {
  if (state === null) return gonePage();
  if (state.isUnsubscribed)
    return page(
      "You are still unsubscribed",
      html`<p>This can no longer be undone here. The time for it is over, or somebody else has recorded that ${shown(state)} wants no mail.</p>
<p>If you want mail from <b>${state.from}</b> again, write to them.</p>`,
    );
  if (!state.isUndone) return statePage(state, place);
  return page(
    "Undone",
    html`<p>${shown(state)} gets mail from <b>${state.from}</b> as before.</p>
${unsubscribe(place, "")}`,
  );
}

function subscribedPage(state: LinkState, place: Place): string {
  return page(
    "Unsubscribe?",
    html`<p>If you press the button, ${shown(state)} gets no more mail from <b>${state.from}</b>.</p>
${unsubscribe(place, "primary")}
${oneList(state, place)}`,
  );
}

const oneList = ({ lists }: LinkState, { path }: Place): Html | null =>
  lists.length === 0
    ? null
    : html`<section>
<h2>Or leave one list, and stay on all others</h2>
<ul>
${lists.map(
  ({ id, name }) => html`<li><span>${name}</span>
${button(`${path}/list/${id}`, html`Leave this list only<span class="visually-hidden"> (${name})</span>`, "")}</li>
`,
)}</ul>
</section>`;

function unsubscribedPage(state: LinkState, place: Place): string {
  const again = html`<p>If you want mail from them again, write to them.</p>`;
  return page(
    "You are unsubscribed",
    html`<p>${shown(state)} gets no more mail from <b>${state.from}</b>. A message that is already on its way may still arrive.</p>
${state.undoableUntil === null ? again : undo(state.undoableUntil, place)}`,
  );
}

const MINUTE_MS = 60_000;
function undo(until: number, { path, now }: Place): Html {
  const minutes = Math.max(1, Math.ceil((until - now) / MINUTE_MS));
  return html`<p>Was it a mistake? You can undo it for ${minutes === 1 ? "one minute" : `${minutes} minutes`}.</p>
${button(`${path}/undo`, "Undo", "")}`;
}

function leftPage(state: LinkState, place: Place): string {
  const title = state.left.length === 1 ? "You have left the list" : "You have left the lists";
  const names = state.left.map(({ name }, at) => html`${at === 0 ? null : ", "}<b>${name}</b>`);
  return page(
    title,
    html`<p>${shown(state)} is no longer on ${names}, and stays on all other lists of <b>${state.from}</b>.</p>
${state.undoableUntil === null ? null : undo(state.undoableUntil, place)}
<section>
<h2>No more mail at all</h2>
${unsubscribe(place, "", "Unsubscribe from all lists")}
</section>
${oneList(state, place)}`,
  );
}

/** The person was erased, so there is no name. Whether the address was added again cannot be known. */
const gonePage = (): string =>
  page(
    "There is nothing to unsubscribe",
    html`<p>Your data was erased after this message was sent.</p>
<p>If you still get messages, your address has been added again. Use the link in the newest message.</p>`,
  );

export const invalidPage = (): string =>
  page(
    "This link does not work",
    html`<p>A part of it may be missing: some mail programs break long links.</p>
<p>Open the link in the message again, or copy all of it into the address bar of your browser. If it still does not work, reply to the message and ask to be removed.</p>`,
  );

export const previewPage = (): string =>
  page(
    "This is a test message",
    html`<p>Its link unsubscribes nobody. In the campaign, everybody gets a link of their own, which leads to a page like this one.</p>`,
  );

export const throttledPage = (): string =>
  page(
    "Too many invalid links",
    html`<p>Too many links that do not work were opened from your network. Wait a minute, then open the link in the message again.</p>`,
  );

/** `isPost`: the same button again. */
export const unavailablePage = (isPost: boolean): string =>
  page(
    "That did not work",
    html`<p>${isPost ? "Your request could not be saved." : "The page could not be loaded."} Please try again in a few seconds.</p>
<form method="${isPost ? "post" : "get"}"><button class="button primary">Try again</button></form>`,
  );
