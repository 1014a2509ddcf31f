/**
 * For addresses that lead nowhere: a page in the frame of the help pages, with what there is and where. A
 * program that looks for an ASMX service gets a text that says how to call this one.
 */

import type { FastifyInstance } from "fastify";
import { targetOf } from "#asmx/addresses.ts";
import { CONSOLE_PATH } from "#console/console-path.ts";
import type { Service } from "#contract/service.ts";
import { ASSETS_PATH, inlineAssets } from "#html/assets.ts";
import { frame } from "#html/frame.ts";
import { html } from "#html/html.ts";
import { takesGzip } from "#http/cached-documents.ts";
import { badUrl, type ErrorReplies, type ErrorReply, notFound, wantsPage } from "#http/not-found.ts";
import { VERSION } from "#shipped.ts";
import { API_PATH } from "#web/api-path.ts";
import { importInTurns } from "./lazy-routes.ts";

interface ErrorPage {
  readonly title: string;
  readonly text: string;
}
const noSuchPage: ErrorPage = {
  title: "There is nothing at this address",
  text: "It may have been typed wrongly, or what was here is gone. This is what there is:",
};
const unreadable: ErrorPage = {
  title: "This address cannot be read",
  text: "A percent sign in it does not begin an encoded character. This is what there is:",
};

/** Another service, or an operation as the form bindings of ASMX name it: `/default.asmx/Operation`. */
const ASMX = /\.asmx(?:\/|$)/i;

/** `prefix` is the path of the service's base address. */
export function notFoundPages(prefix: string, { name, path }: Pick<Service, "name" | "path">): ErrorReplies {
  const help = `${prefix}${path}`;
  const places = [
    [
      help,
      "SOAP service and help",
      "Programs post SOAP messages here. In a browser: all operations, with forms to try them.",
    ],
    [`${help}?wsdl`, "WSDL", "The description of the service for programs."],
    [
      `${prefix}${CONSOLE_PATH}`,
      "Console",
      "Lists, subscribers, imports, campaigns and settings, for people.",
    ],
    [`${prefix}${API_PATH}/reference`, "JSON API", `The reference of the API at ${prefix}${API_PATH}.`],
  ] as const;
  const render = ({ title, text }: ErrorPage): ErrorReply => {
    const assets = inlineAssets(`${prefix}/`);
    const links = places.map(([href, label]) => ({ label, href, isCurrent: false }));
    const page = frame({
      title,
      assets,
      brand: { href: help, name, product: "Help" },
      navigation: [{ label: null, links }],
      body: html`<div class="doc"><h1>${title}</h1>
<p class="lead">${text}</p>
<ul class="operations">
${places.map(([href, label, about]) => html`<li><a href="${href}">${label}</a> <p>${about}</p></li>`)}
</ul></div>`,
      footer: { version: VERSION, links: links.filter(({ label }) => label !== "WSDL") },
    });
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": assets.contentSecurityPolicy,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    };
    return { headers, text: page };
  };
  const howToCall: ErrorReply = {
    ...notFound,
    text: `Not found. Call the service with SOAP: POST ${help} (described by GET ${help}?wsdl). Calls as HTTP GET, or as HTTP POST of a form, are not offered.\n`,
  };
  const made = new Map<ErrorPage, ErrorReply>();
  /** Made with the first request: programs never get one. */
  const rendered = (page: ErrorPage): ErrorReply => {
    const reply = made.get(page) ?? render(page);
    made.set(page, reply);
    return reply;
  };
  return {
    notFound: (request) => {
      if (wantsPage(request)) return rendered(noSuchPage);
      return ASMX.test(targetOf(request.url ?? "")[0]) ? howToCall : notFound;
    },
    badUrl: (request) => (wantsPage(request) ? rendered(unreadable) : badUrl),
  };
}

// Serves the files of the pages. They are read with the first request: programs never ask for any.

/** `prefix` is the path of the service's base address. */
export function addAssetRoutes(fastify: FastifyInstance, prefix: string): void {
  for (const one of new Set(["", prefix]))
    fastify.get<{ Params: { readonly name: string } }>(
      `${one}${ASSETS_PATH}/:name`,
      async ({ params: { name }, headers: { "accept-encoding": encodings } }, reply) => {
        const { editorModule, findAsset } = await import("#html/served-assets.ts");
        // A page of another process may have asked for it: the scripts of single pages come with the pages.
        if (findAsset(name) === null) await Promise.all([importInTurns("console"), editorModule()]);
        const asset = findAsset(name);
        if (asset === null) return await reply.code(404).type("text/plain").send("Not found\n");
        const { headers, body } = (takesGzip(encodings) ? await asset.gzipped?.() : null) ?? asset;
        return await reply.headers(headers).send(body);
      },
    );
}
