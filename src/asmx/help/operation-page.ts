/** The help page of one operation: parameters, result, samples, and a form that calls it. */
import type { Operation, Service } from "#contract/service.ts";
import { codeBlock } from "#html/components/code.ts";
import { type Html, html } from "#html/html.ts";
import { type SoapVersion, soap11, soap12 } from "#soap/version.ts";
import { curlCommand, requestHeaders, sampleReply, sampleRequest } from "../samples.ts";
import { parameterList, recordFields, typeName } from "./fields.ts";
import { indexHref, layout, operationHref, operationName, xml } from "./layout.ts";
import { tryIt } from "./try-it.ts";

const access: Readonly<Record<Operation["access"], string>> = {
  write: "Writes: needs a key with full access.",
  read: "Reads: a read-only key is enough.",
  probe: "Answers whatever the key is.",
};

/** Null: there is no such operation. */
export function operationPage(service: Service, base: string, name: string): string | null {
  const operation = Object.hasOwn(service.operations, name) ? service.operations[name] : undefined;
  if (operation === undefined) return null;
  const main = html`<h1>${operationName(name)}</h1>
<p class="lead">${operation.doc}</p>
<p class="access ${operation.access}">${access[operation.access]}</p>
${names(operation)}
<p class="buttons"><a class="button primary" href="#try">Try it</a> <a class="button plain" href="#samples">Samples</a></p>

<section>
<h2>Parameters</h2>
${parameterList(operation.params, operation.notes, new Set(operation.optional))}
</section>

<section>
<h2>Result</h2>
${result(operation)}
<p class="hint">A wrong message is answered with a <a href="${indexHref(service)}#faults">SOAP fault</a>.</p>
</section>

${tryIt(service, base, name, operation)}

<section>
<h2 id="samples">Samples</h2>
${samples(service, base, name, operation)}
</section>`;
  return layout(service, { title: name, operation: name, main });
}

/** Its other names, and the operation that supersedes it. */
function names({ shortNames, supersededBy }: Operation): Html {
  const short = shortNames.map(({ name }, nth) => html`${nth === 0 ? "" : ", "}<code>${name}</code>`);
  return html`<p class="hint">Its short name in the WSDL: ${short}.${
    supersededBy === null
      ? null
      : html` Superseded by <a href="${operationHref(supersededBy)}">${operationName(supersededBy)}</a>.`
  }</p>`;
}

function result({ result, outcomes, nillable }: Operation): Html {
  const named = Object.entries(outcomes);
  if (named.length > 0)
    return html`<p>One <span class="type">${typeName(result)}</span>. Any value but ${named[0]?.[1].byte ?? 0} means that nothing was changed.</p>
<table class="outcomes">
<thead><tr><th scope="col">Byte</th><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${named.map(
  ([outcome, { byte, text }]) =>
    html`<tr data-byte="${byte}"><th scope="row">${byte}</th><td><code>${outcome}</code></td><td>${text}</td></tr>
`,
)}</tbody>
</table>`;
  const nil = nillable
    ? html`<p>If there is none, the result element is present and nil: <code>xsi:nil="true"</code>.</p>`
    : null;
  if (result.kind === "array")
    return html`<p>Any number of <code>${result.item.name}</code> records, possibly none. Each has</p>${nil}
${recordFields(result.item.fields)}`;
  if (result.kind === "sequence")
    return html`<p>One <code>${result.name}</code> record, its fields directly in the result element.</p>${nil}
${recordFields(result.fields)}`;
  return html`<p>One <span class="type">${typeName(result)}</span>.</p>${nil}`;
}

/** Radio buttons show one panel at a time: that works without a script, and by keyboard. */
function samples(service: Service, base: string, name: string, operation: Operation): Html {
  return html`<div class="tabs">
<input type="radio" name="sample" id="sample-curl" checked><label for="sample-curl">curl</label>
<input type="radio" name="sample" id="sample-11"><label for="sample-11">SOAP 1.1</label>
<input type="radio" name="sample" id="sample-12"><label for="sample-12">SOAP 1.2</label>
<div class="panel">
${codeBlock("curl command", curlCommand(service, base, name))}
</div>
${[soap11, soap12].map(
  (version) => html`<div class="panel">
<h3>Request</h3>
${codeBlock(`HTTP headers, SOAP ${version.name}`, httpHeaders(service, base, name, operation, version))}
${codeBlock(`Request, SOAP ${version.name}`, xml(sampleRequest(version, base, name, operation)))}
<h3>Reply</h3>
${codeBlock(`Reply, SOAP ${version.name}`, xml(sampleReply(version, base, name, operation)))}
</div>
`,
)}</div>`;
}

function httpHeaders(
  service: Service,
  base: string,
  name: string,
  operation: Operation,
  version: SoapVersion,
): string {
  const { host, pathname } = new URL(`${base}${service.path}`);
  const headers = {
    Host: host,
    ...requestHeaders(version, base, name),
    "Content-Length": Buffer.byteLength(sampleRequest(version, base, name, operation)),
  };
  return [
    `POST ${pathname} HTTP/1.1`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ].join("\n");
}
