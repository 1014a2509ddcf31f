/** The reference of the API for people, made from the routes. */

import { contract } from "#contract/operations.ts";
import { inlineAssets } from "#html/assets.ts";
import { codeBlock } from "#html/components/code.ts";
import { frame } from "#html/frame.ts";
import { type Html, html, prose } from "#html/html.ts";
import { shippedFile, VERSION } from "#shipped.ts";
import { API_PATH } from "#web/api-path.ts";
import { OPENAPI_PATH, operationId } from "../kit/openapi.ts";
import { problemTypes } from "../kit/problems.ts";
import { isStream, type Route, type TaggedRoute } from "../kit/route.ts";
import { curlCommand, type JsonSchema } from "./example.ts";

// The members of a schema as a definition list: name, type and notes; objects with their members inside.

/** `isInput`: the client writes the values, so it is said which ones are needed. */
function memberList({ properties = {}, required = [] }: JsonSchema, isInput: boolean): Html {
  return html`<dl class="fields">
${Object.entries(properties).map(
  ([name, member]) =>
    html`<div><dt><code>${name}</code> <span class="type">${typeOf(member)}</span></dt>
<dd>${notes(member, isInput && !required.includes(name), isInput)}</dd></div>
`,
)}</dl>`;
}

const withoutNull = ({ anyOf = [] }: JsonSchema): readonly JsonSchema[] =>
  anyOf.filter(({ type }) => type !== "null");

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined)
    return [
      ...withoutNull(schema).map(typeOf),
      ...(withoutNull(schema).length < schema.anyOf.length ? ["null"] : []),
    ].join(" or ");
  if (schema.type === "array")
    return `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
  if (schema.format === "date-time") return "time";
  if (schema.format === "date") return "date";
  return schema.type ?? "anything";
}

function notes(schema: JsonSchema, isOptional: boolean, isInput: boolean): Html {
  const [only] = withoutNull(schema);
  const described = schema.anyOf === undefined || only === undefined ? schema : only;
  const inner = described.type === "array" ? (described.items ?? {}) : described;
  const words = inner.enum ?? [];
  return html`${isOptional ? html`<p class="hint">Optional${defaultOf(schema)}.</p>` : null}${
    (schema.description ?? described.description) === undefined
      ? null
      : html`<p>${prose(schema.description ?? described.description ?? "")}</p>`
  }${
    words.length === 0
      ? null
      : html`<p class="hint">One of ${words.map((word, at) => html`${at === 0 ? null : " "}<code>${word}</code>`)}</p>`
  }${inner.properties === undefined ? null : memberList(inner, isInput)}`;
}

const defaultOf = ({ default: value }: JsonSchema): string =>
  value === undefined ? "" : `; default: ${String(value as string)}`;

/** From the page to the base address. */
const ROOT = "../../";

export const referenceAssets = inlineAssets(
  ROOT,
  [shippedFile("api/v2/reference/style.css")],
  [shippedFile("api/v2/reference/search.js")],
);

const tagsOf = (routes: readonly TaggedRoute[]): readonly string[] => [
  ...new Set(routes.map(({ tag }) => tag)),
];
const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z]+/g, "-");

/** `base` is the address of the service. */
export function referencePage(
  routes: readonly TaggedRoute[],
  base: string,
  described: Readonly<Record<string, string>>,
): string {
  const tags = tagsOf(routes);
  const main = html`<h1>API reference</h1>
<p class="lead">Manage accounts, lists, subscribers, campaigns and users as JSON over HTTP. Send a token with each request: <code>Authorization: Bearer mrt_…</code>. Make a token in the console, under <a href="${ROOT}console/me">Your account</a>, or run <code>mailroll user token create</code> on the server; a program can also log in with a password. An administrator may send every request below.</p>
<dl class="addresses">
<div><dt>Address</dt><dd>${codeBlock("Address of the API", `${base}${API_PATH}`)}</dd></div>
<div><dt>Description</dt><dd><a href=".${OPENAPI_PATH}">OpenAPI 3.1</a></dd></div>
</dl>
<search class="find" hidden><label for="find">Search the operations</label> <input type="search" id="find" placeholder="e.g. unsubscribe, or POST lists" autocomplete="off" spellcheck="false" data-search> <kbd aria-hidden="true">/</kbd> <span id="found" role="status"></span></search>
${conventions}
${tags.map(
  (tag) => html`<section>
<h2 id="${anchorOf(tag)}">${tag}</h2>
${
  described[tag] === undefined
    ? null
    : html`<p>${described[tag]}</p>
`
}${routes.filter((route) => route.tag === tag).map((route) => article(route, base))}</section>
`,
)}
${problems}`;
  return frame({
    title: "API reference",
    assets: referenceAssets,
    brand: { href: "reference", product: "API reference" },
    navigationLabel: "Sections",
    navigation: [
      {
        label: null,
        links: ["Conventions", ...tags, "Problems"].map((label) => ({
          label,
          href: `#${anchorOf(label)}`,
          isCurrent: false,
        })),
      },
    ],
    body: html`<div class="doc">
${main}
</div>`,
    footer: {
      version: VERSION,
      links: [
        { label: "Help", href: `${ROOT}${contract.path.slice(1)}` },
        { label: "API reference", href: "reference" },
        { label: "Console", href: `${ROOT}console` },
      ],
    },
  });
}

const conventions = html`<section>
<h2 id="conventions">Conventions</h2>
<dl class="fields">
${[
  ["Ids", 'Numbers of up to 64 bits, written as text: `"1"`.'],
  ["Times", 'ISO 8601 in UTC: `"2026-11-16T09:30:00.000Z"`.'],
  [
    "Bodies",
    '`application/json`. A body with a member that is not listed here is refused, also where no body is listed. So is an unknown parameter of the URL, and a number where a text is expected, such as 5 instead of `"5"`. So is a member that is there twice. In a `PATCH`, a member that is left out stays as it is, and `null` removes a value; the same holds for the values of a subscriber who is added and exists already.',
  ],
  [
    "Pages",
    '`{"items": […], "next": "…", "previous": "…"}`. To get the next page, send `next` as `after`; to go back, send `previous` as `before`. `limit` is the maximum number of items in a page: at most 500, and 100 if it is not given. A page can have fewer items, or none, although `next` is not null: go on until `next` is null.',
  ],
  [
    "Repeats",
    "If you get no reply to a `POST`, you can repeat it safely if you sent it with a header `Idempotency-Key`: a text of your choice, a new one for each request. Within 24 hours, requests with the same key are executed only once. Requests that contain a password must not have this header.",
  ],
  [
    "Compression",
    "Replies of more than 1 KiB are compressed with gzip if your program sends `Accept-Encoding: gzip`, except those that contain a secret.",
  ],
  [
    "Changes",
    "A `GET` of one account, API key, list, custom field, campaign, sender, user or subscriber returns an `ETag`, and so does the reply to the request that creates one, with its path as `Location`. Send the `ETag` as `If-Match` with a change: the change is made only if nobody has changed the same thing since. For anything else, a change with `If-Match` is refused. Send it as `If-None-Match` with a `GET`: if the reply would be the same, you get 304 without a body.",
  ],
].map(
  ([name = "", text = ""]) => html`<div><dt>${name}</dt><dd><p>${prose(text)}</p></dd></div>
`,
)}</dl>
</section>`;

const problems = html`<section>
<h2 id="problems">Problems</h2>
<p>An error is a problem document (RFC 9457) of the type <code>application/problem+json</code>. <code>detail</code> says what was wrong. <code>errors</code> names each wrong place: <code>pointer</code> (in the body), <code>parameter</code> (in the URL) or <code>header</code>.</p>
<table class="faults">
<thead><tr><th scope="col">Type</th><th scope="col">HTTP</th><th scope="col">When</th></tr></thead>
<tbody>
${Object.entries(problemTypes).map(
  ([name, { status, when }]) =>
    html`<tr id="problem-${name}"><th scope="row"><code>${name}</code></th><td>${status}</td><td>${prose(when)}</td></tr>
`,
)}</tbody>
</table>
</section>`;

function article(route: Route, base: string): Html {
  const { method, path, summary, description, query, body, action } = route;
  return html`<article>
<h3 id="${operationId(route)}">${summary}</h3>
<p class="${action.records === "nothing" ? "access" : "access write"}"><span><code>${method} ${path}</code>, for ${roleOf(route)}</span></p>
${
  description === undefined
    ? null
    : html`<p>${prose(description)}</p>
`
}${parameters(query as JsonSchema | undefined)}${part("Body", body, true)}${reply(route)}
${codeBlock(`curl command: ${summary}`, curlCommand(base, route))}
</article>
`;
}

const rolesOf: Readonly<Record<Route["action"]["role"], string>> = {
  anyone: "everybody with a token",
  user: "every user",
  viewer: "viewers, editors and owners of the account",
  editor: "editors and owners of the account",
  owner: "owners of the account",
  administrator: "administrators",
};
/** In the installation as a whole, only administrators have a role. */
const roleOf = ({ action: { role }, path }: Route): string =>
  rolesOf[role === "anyone" || role === "user" || path.includes("{account}") ? role : "administrator"];

/** Described once, under the conventions. */
const pageMembers: ReadonlySet<string> = new Set(["limit", "after", "before"]);

function parameters(query: JsonSchema | undefined): Html | null {
  if (query === undefined) return null;
  const all = Object.entries(query.properties ?? {});
  const own = Object.fromEntries(all.filter(([name]) => !pageMembers.has(name)));
  const hasPages = all.length > Object.keys(own).length;
  return html`<h4>Parameters</h4>
${Object.keys(own).length === 0 ? null : memberList({ ...query, properties: own }, true)}${
  hasPages
    ? html`<p class="hint">${prose("`limit`, `after` and `before`: see ")}<a href="#conventions">pages</a>.</p>
`
    : null
}`;
}

const part = (title: string, schema: object | undefined, isInput: boolean): Html | null =>
  schema === undefined
    ? null
    : html`<h4>${title}</h4>
${memberList(schema, isInput)}`;

function reply(route: Route): Html {
  if (isStream(route)) return html`<p>Replies 200 with a file: <code>${route.contentType}</code>.</p>`;
  const schema = route.reply as JsonSchema | undefined;
  if (schema === undefined) return html`<p>Replies ${route.status} without a body.</p>`;
  return html`<details>
<summary>Replies ${route.status} with ${"items" in (schema.properties ?? {}) ? "a page" : "these members"}</summary>
${memberList(schema, false)}
</details>`;
}
