/** `/console/{account}/integrations`: the API keys, and what the programs behind them do. */

import { type KeyUse, keyUse, MAX_KEYS } from "#admin/keys/key-use.ts";
import type { Scope } from "#domain/access/key.ts";
import { DAY_MS } from "#domain/calendar.ts";
import type { QuirkKind } from "#domain/statistics.ts";
import { badge } from "#html/components/badge.ts";
import { sparkline } from "#html/components/charts.ts";
import type { EmptyState } from "#html/components/feedback.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { isEmpty, newLinks, pagedTable } from "../../kit/listing.ts";
import { type PageContext, page, titled } from "../../kit/page.ts";
import { hintOf, nameOf, troubleBadge } from "./key-names.ts";

interface QuirkTexts {
  /** In a table. */
  readonly short: string;
  readonly title: string;
  readonly meaning: string;
  readonly advice: string;
}
/** What clients do that deserves attention, and what to do about it. */
export const quirkTexts: Readonly<Record<QuirkKind, QuirkTexts>> = {
  "charset-mismatch": {
    short: "Wrong charset",
    title: "It sends text in another charset than it declares",
    meaning:
      "Mailroll guessed the charset and decoded the text as well as it could, but letters with accents may be wrong.",
    advice:
      "Make the program declare the charset that it uses: Content-Type: text/xml; charset=utf-8, and texts in UTF-8.",
  },
  "http-1.0": {
    short: "HTTP/1.0",
    title: "It uses HTTP/1.0",
    meaning: "Each call needs a connection of its own, which makes it slower.",
    advice:
      "Update the HTTP library of the program, or set it to HTTP/1.1. A proxy in between can also be the cause: in nginx, set proxy_http_version 1.1.",
  },
  "wsdl-every-call": {
    short: "No WSDL cache",
    title: "It downloads the WSDL for every call",
    meaning: "The WSDL is larger than any call, so most of the time of a call is spent on it.",
    advice:
      "Turn on the WSDL cache of the program: in PHP, soap.wsdl_cache_enabled = 1 and no WSDL_CACHE_NONE. In other languages, create the client once and reuse it.",
  },
};
export const quirksTitle = "What to improve";
export const shownBy = "Last seen from";

export const scopes: Readonly<Record<Scope, string>> = { full: "Read and write", read: "Read only" };
export const integrationsTexts = {
  title: "Integrations",
};

/** Further programs are on the page of the key. */
const PROGRAMS = 2;
/** An observation that is older concerns a program that was mended, or is gone. */
const RECENT_MS = 30 * DAY_MS;

export const integrationsPage = page({
  path: "/{account}/integrations",
  show: async (context) => {
    const { link, may } = context;
    const args = { key: null, from: null, to: null, limit: MAX_KEYS };
    const found = await context.list(keyUse, args);
    const create = newLinks(context, "owner", "/integrations/new");
    return titled(
      {
        title: integrationsTexts.title,
        description:
          "Programs call the SOAP interface with an API key. Give each program its own key, to see what it does and to revoke it separately.",
        actions: isEmpty(found) ? [] : create("New key"),
      },
      html`${keyTable(context, found, {
        title: "No program is connected yet",
        text: may("owner")
          ? "Create an API key and hand it to the developer of your shop or form, with a program that is ready to run."
          : "An owner of the account can create an API key for a program.",
        icon: "integrations",
        actions: create("Create an API key"),
      })}
${section("Scripts use tokens", html`<p class="description">A key belongs to the account and is for programs that call the SOAP interface. A token is for scripts that use the JSON API: it acts as a user, with at most the role of that user. <a href="${link("/settings/tokens")}">Tokens</a></p>`)}`,
    );
  },
});

type Found = Awaited<ReturnType<typeof keyUse.run>>;

function keyTable(context: PageContext<"/{account}/integrations">, found: Found, empty: EmptyState): Html {
  const { formats, link, path, now } = context;
  const number = (value: number): string => formats.number(value);
  return pagedTable({ path }, found, {
    caption: integrationsTexts.title,
    href: ({ key }) => link(`/integrations/${key.id}`),
    columns: [
      { label: "Key", cell: ({ key }) => nameOf(key), detail: (use) => about(use, context) },
      { label: "Programs", cell: (use) => programs(use, number) },
      {
        label: "Last call",
        cell: ({ key }) => (key.lastUsedAt === null ? "none yet" : formats.ago(key.lastUsedAt, now)),
        isShort: true,
      },
      {
        label: "Per day",
        isMinor: true,
        cell: ({ days, total }) =>
          total.calls === 0
            ? null
            : sparkline({
                summary: `Calls per day: ${number(total.calls)} in 30 days, of which ${number(total.refusals + total.faults)} were refused or failed.`,
                days: days.map(({ calls, refusals, faults }) => ({ value: calls, bad: refusals + faults })),
              }),
      },
      { label: "Calls in 30 days", cell: ({ total }) => number(total.calls), isNumber: true },
      { label: "Refused", cell: ({ total }) => number(total.refusals), isNumber: true },
      { label: "Faults", cell: ({ total }) => number(total.faults), isNumber: true },
    ],
    text: (count) => formats.count(count, "key"),
    empty,
  });
}

function about({ key, quirks }: KeyUse, { formats, now }: PageContext<"/{account}/integrations">): Html {
  const recent = key.revokedAt === null ? quirks.filter(({ seenAt }) => now - seenAt < RECENT_MS) : [];
  return html`${key.label === "" ? null : html`<code>${hintOf(key)}</code>`}<span>${scopes[key.scope]}</span>${troubleBadge(key, now, formats)}${recent.map(
    ({ quirk }) => badge(quirkTexts[quirk].short, "warning"),
  )}`;
}

function programs({ programs: all, programCount }: KeyUse, number: (value: number) => string): Insert {
  if (all.length === 0) return "none yet";
  const shown = all.slice(0, PROGRAMS).map(({ program }) => isolated(program));
  const rest = programCount - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${number(rest)} more` : ""}`;
}
