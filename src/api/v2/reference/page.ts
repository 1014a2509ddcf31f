/** The reference of the API for people, made from the routes. */
import { assets } from "../../../html/assets.ts";
import { codeBlock, htmlDocument } from "../../../html/document.ts";
import { type Html, html, prose } from "../../../html/html.ts";
import { OPENAPI_PATH } from "../kit/openapi.ts";
import { API_PATH } from "../kit/path.ts";
import { problemTypes } from "../kit/problems.ts";
import { isStream, type Route } from "../kit/route.ts";
import { curlCommand, type JsonSchema } from "./example.ts";
import { memberList } from "./members.ts";

export const referenceAssets = assets([new URL("./style.css", import.meta.url)]);

const idOf = (route: Route): string => route.id ?? route.action.name;
const tagsOf = (routes: readonly Route[]): readonly string[] => [...new Set(routes.map(({ tag }) => tag))];
const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z]+/g, "-");

/** `base` is the address of the service. */
export function referencePage(routes: readonly Route[], base: string): string {
  const tags = tagsOf(routes);
  const main = html`<h1>API reference</h1>
<p class="lead">Everything that an operator can do, as JSON over HTTP. Send a token with each request: <code>Authorization: Bearer mrt_…</code>. <code>mailroll user token create</code> makes one.</p>
<dl class="addresses">
<div><dt>Address</dt><dd>${codeBlock("Address of the API", `${base}${API_PATH}`)}</dd></div>
<div><dt>Description</dt><dd><a href=".${OPENAPI_PATH}">OpenAPI 3.1</a></dd></div>
</dl>
${conventions}
${tags.map(
  (tag) => html`<section>
<h2 id="${anchorOf(tag)}">${tag}</h2>
${routes.filter((route) => route.tag === tag).map((route) => article(route, base))}</section>
`,
)}
${problems}`;
  const navigation = html`<nav aria-label="Sections">
<ul>
${tags.map(
  (tag) => html`<li><a href="#${anchorOf(tag)}">${tag}</a></li>
`,
)}<li><a href="#problems">Problems</a></li>
</ul>
</nav>`;
  return htmlDocument(
    "Mailroll: API reference",
    referenceAssets,
    html`<div class="page with-nav">
<main>
${main}
</main>
${navigation}
</div>`,
  );
}

const conventions = html`<section>
<h2 id="conventions">Conventions</h2>
<dl class="fields">
${[
  ["Ids", 'Numbers of up to 64 bits, written as text: `"1"`.'],
  ["Times", 'ISO 8601 in UTC: `"2026-11-16T09:30:00.000Z"`.'],
  [
    "Bodies",
    '`application/json`. A member that is not listed here is refused, and 5 is not `"5"`. In a `PATCH`, a member that is left out stays as it is, and `null` removes a value.',
  ],
  [
    "Pages",
    '`{"items": […], "next": "…", "previous": "…"}`. Send `next` as `after`, or `previous` as `before`. `limit` is the most items of a page: 100 if it is not given, at most 500. A page of a search may be empty although `next` is not null.',
  ],
  [
    "Repeats",
    "A `POST` with the header `Idempotency-Key` is executed once within 24 hours, however often it is sent with that key.",
  ],
  [
    "Changes",
    "A reply about one thing has an `ETag`. A change with this value in `If-Match` is made only if nobody has changed the thing since.",
  ],
].map(
  ([name = "", text = ""]) => html`<div><dt>${name}</dt><dd><p>${prose(text)}</p></dd></div>
`,
)}</dl>
</section>`;

const problems = html`<section>
<h2 id="problems">Problems</h2>
<p>An error is a problem document (RFC 9457) of the type <code>application/problem+json</code>. <code>detail</code> says what was wrong. <code>errors</code> names each wrong place: <code>pointer</code> in the body, or <code>parameter</code> in the URL.</p>
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
  const { method, path, summary, description, query, body } = route;
  return html`<article>
<h3 id="${idOf(route)}">${summary}</h3>
<p class="${method === "GET" ? "access" : "access write"}"><span><code>${method} ${path}</code>, for ${roleOf(route)}</span></p>
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
  viewer: "viewers, editors and owners",
  editor: "editors and owners",
  owner: "owners",
  administrator: "administrators",
};
const roleOf = ({ action }: Route): string => rolesOf[action.role];

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
