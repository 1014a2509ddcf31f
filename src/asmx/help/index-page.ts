/** The help page of the whole service: address, operations and faults. */
import { faultKinds } from "#contract/faults.ts";
import type { Operation, Service } from "#contract/service.ts";
import { codeBlock } from "#html/components/code.ts";
import { type Html, html } from "#html/html.ts";
import { curlCommand } from "../samples.ts";
import { families } from "./families.ts";
import { indexHref, layout, operationHref, operationName } from "./layout.ts";

/** `isLost`: an unknown operation was requested. */
export function indexPage(service: Service, base: string, isLost = false): string {
  if (isLost) return lostPage(service);
  const main = html`<h1>${service.name}</h1>
<p class="lead">${service.doc}</p>
<dl class="addresses">
<div><dt>Endpoint</dt><dd>${codeBlock("Endpoint address", `${base}${service.path}`)}</dd></div>
<div><dt>Namespace</dt><dd>${codeBlock("Namespace", base)}</dd></div>
<div><dt>Description</dt><dd><a href="?wsdl">WSDL</a>, with <a href="?wsdl&amp;names=dotted">dotted</a> or <a href="?wsdl&amp;names=short">short</a> operation names only; <a href="?disco">discovery document</a></dd></div>
</dl>

${operations(service)}
${firstCall(service, base)}

<section>
<h2 id="faults">Faults</h2>
<p>What the service decides about a call is part of its result. A SOAP fault means that the message was wrong, or that we are. Its text says what to do, and its detail carries one of these codes for programs.</p>
<table class="faults">
<thead><tr><th scope="col">Code</th><th scope="col">HTTP</th><th scope="col">When</th></tr></thead>
<tbody>
${Object.entries(faultKinds).map(
  ([code, kind]) =>
    html`<tr><th scope="row"><code>${code}</code></th><td>${kind.status}</td><td>${kind.when}</td></tr>
`,
)}</tbody>
</table>
</section>`;
  return layout(service, { title: "Operations", operation: null, main });
}

const operations = (service: Service): Html =>
  html`${families(service).map(
    (family) => html`<section>
<h2>${family.name}</h2>
<p>${family.doc}</p>
<ul class="operations">
${family.operations.map(
  ([name, operation]) =>
    html`<li><a href="${operationHref(name)}">${operationName(name)}</a> <p>${operation.doc}</p></li>
`,
)}</ul>
</section>
`,
  )}`;

/** For an address with the name of an operation that does not exist. */
const lostPage = (service: Service): string =>
  layout(service, {
    title: "No such operation",
    operation: null,
    main: html`<h1>There is no such operation</h1>
<p class="lead">Check the name in the address: upper and lower case matter. The service has these operations; the <a href="${indexHref(service)}">overview</a> has its addresses and faults.</p>
${operations(service)}`,
  });

/** An operation that works without a valid key is the first one to try. */
function firstCall(service: Service, base: string): Html | null {
  const isProbe = ([, { access }]: readonly [string, Operation]) => access === "probe";
  const name = Object.entries(service.operations).find(isProbe)?.[0];
  if (name === undefined) return null;
  return html`<section>
<h2>A first call</h2>
<p>Put your key in place of the example’s and paste this into a terminal. <a href="${operationHref(name)}">Its page</a> does the same with a form.</p>
${codeBlock("curl command", curlCommand(service, base, name))}
</section>`;
}
