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

export const referenceAssets = assets();

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
<table>
<tbody>
<tr><th scope="row">Ids</th><td>Numbers of up to 64 bits, written as text: <code>"1"</code></td></tr>
<tr><th scope="row">Times</th><td>ISO 8601 in UTC: <code>"2026-11-16T09:30:00.000Z"</code></td></tr>
<tr><th scope="row">Bodies</th><td><code>application/json</code>. A member that is not listed here is refused, and 5 is not <code>"5"</code>. In a <code>PATCH</code>, a member that is left out stays as it is, and <code>null</code> removes a value.</td></tr>
<tr><th scope="row">Pages</th><td><code>{"items": […], "next": "…", "previous": "…"}</code>. Send <code>?after=</code> with <code>next</code>, or <code>?before=</code> with <code>previous</code>. A page of a search may be empty although <code>next</code> is not null.</td></tr>
</tbody>
</table>
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
}${part("Parameters", query, true)}${part("Body", body, true)}${reply(route)}
${codeBlock(`curl command: ${summary}`, curlCommand(base, route))}
</article>
`;
}

const roleOf = ({ action }: Route): string =>
  action.role === "administrator" ? "administrators" : `${action.role}s and above`;

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
