import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { indexPage } from "#asmx/help/index-page.ts";
import { helpAssets } from "#asmx/help/layout.ts";
import { operationPage } from "#asmx/help/operation-page.ts";
import { sampleRequest } from "#asmx/samples.ts";
import { faultKinds } from "#contract/faults.ts";
import { contract } from "#contract/operations.ts";
import type { Service } from "#contract/service.ts";
import { soap11, soap12 } from "#soap/version.ts";
import manifest from "../../package.json" with { type: "json" };
import { toyService } from "../toy-contract.ts";
import { assertGolden } from "./golden.ts";

const base = "https://mail.example.org";

/** The stylesheet and the script are files of their own, and the browser tests look at what they do. */
const withoutAssets = (page: string): string =>
  page
    .replaceAll(manifest.version, "VERSION")
    .replace(/(<style>)[\s\S]*?(<\/style>)/, "$1$2")
    .replace(/(<script[^>]*>)[\s\S]*?(<\/script>)/, "$1$2");

function pageOf(service: Service, name: string): string {
  const page = operationPage(service, base, name);
  assert.ok(page !== null);
  return page;
}
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
const unescaped = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => entities[name] ?? assert.fail());
/** What a reader sees, without style and script. */
const textOf = (page: string): string =>
  unescaped(page.replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, "").replace(/<[^>]*>/g, ""));
/** Without the frame. */
const mainOf = (page: string): string => /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? "";
const includes = (text: string, piece: string): void => assert.ok(text.includes(piece), `no ${piece}`);

describe("the index page", () => {
  const page = indexPage(toyService, base);
  const text = textOf(page);

  test("shows what the service is, its address and its descriptions", () => {
    includes(text, "Toys & their <parts>.");
    includes(text, `${base}/toys/box.asmx`);
    for (const link of ["?wsdl", "?wsdl&amp;names=dotted", "?wsdl&amp;names=short", "?disco"])
      includes(page, `href="${link}"`);
  });

  test("groups operations by family in the declared order; an undeclared family comes last, an empty one is omitted", () => {
    const headings = [...mainOf(page).matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map((match) => match[1]);
    assert.deepEqual(headings, ["Toy", "Box", "Lid", "A first call", "Faults"]);
    const links = [...mainOf(page).matchAll(/<li><a href="\?op=(.*?)">/g)].map((match) => match[1]);
    assert.deepEqual(links, Object.keys(toyService.operations));
    for (const { doc } of Object.values(toyService.operations)) includes(text, doc);
    includes(text, "Single toys.");
  });

  test("shows superseded operations in the last section", () => {
    const real = indexPage(contract, base);
    const headings = [...mainOf(real).matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map((match) => match[1]);
    assert.deepEqual(headings.slice(3, -2), ["Campaign", "Predecessors"]);
    const [, section = ""] = mainOf(real).split("<h2>Predecessors</h2>");
    const links = [...section.matchAll(/<li><a href="\?op=(.*?)">/g)].map((match) => match[1]);
    assert.deepEqual(links, ["Subscriber.AddwithName", "Subscriber.AddwithNameandCustoms"]);
  });

  test("lists every fault with its status", () => {
    for (const [code, { status, when }] of Object.entries(faultKinds))
      includes(page, `<code>${code}</code></th><td>${status}</td><td>${when}</td>`);
  });

  test("begins with the operation that works without a valid key", () => {
    includes(text, `SOAPAction: "${base}/Lid.IsOpen"`);
  });
});

describe("an operation's page", () => {
  const page = pageOf(toyService, "Toy.Put");
  const text = textOf(page);

  test("does not exist for an unknown operation, nor for what every object has", () => {
    assert.equal(operationPage(toyService, base, "Toy.Burn"), null);
    assert.equal(operationPage(toyService, base, "constructor"), null);
  });

  test("shows parameters with type, note, enumeration values and the fields of records", () => {
    includes(text, "Puts a toy & its parts into the box.");
    includes(text, "Size unsignedByte");
    includes(text, "From 0 to <255>.");
    includes(text, "Required, one of RED GREEN & BLUE");
    includes(text, "Parts list of part");
    includes(text, "PartId long");
  });

  test("names the operation that supersedes it", () => {
    for (const name of ["Subscriber.AddwithName", "Subscriber.AddwithNameandCustoms"])
      includes(textOf(pageOf(contract, name)), "Superseded by Subscriber.AddwithBasicandCustoms.");
    assert.ok(!textOf(pageOf(contract, "Subscriber.Add")).includes("Superseded"));
  });

  test("shows the short names", () => {
    includes(textOf(pageOf(toyService, "Box.All")), "Its short name in the WSDL: AllToys, EveryToy.");
  });

  test("shows the scope that the key needs", () => {
    includes(text, "needs a key with full access");
    includes(textOf(pageOf(toyService, "Toy.Best")), "a read-only key is enough");
    includes(textOf(pageOf(toyService, "Lid.IsOpen")), "Answers whatever the key is");
  });

  test("shows every outcome with its byte and meaning", () => {
    includes(
      page,
      '<tr data-byte="0"><th scope="row">0</th><td><code>Done</code></td><td>It is in.</td></tr>',
    );
    includes(page, '<tr data-byte="9"><th scope="row">9</th><td><code>TooBig</code></td>');
    includes(text, "It is larger than <the box>.");
  });

  test("shows the structure of a result without outcomes, and whether it may be nil", () => {
    const best = textOf(pageOf(toyService, "Toy.Best"));
    includes(best, "One toy record");
    includes(best, 'xsi:nil="true"');
    includes(best, "Loved boolean");
    const boxAll = textOf(pageOf(toyService, "Box.All"));
    includes(boxAll, "Any number of toy records");
    assert.ok(!boxAll.includes("xsi:nil="));
  });

  test("has samples of both SOAP versions with their headers and the right Content-Length", () => {
    for (const version of [soap11, soap12]) {
      const sample = sampleRequest(version, base, "Toy.Put", toyService.operations["Toy.Put"]);
      includes(text, sample);
      includes(text, `Content-Type: ${version.mediaType}; charset=utf-8\n`);
      includes(text, `Content-Length: ${Buffer.byteLength(sample)}`);
    }
    includes(text, "POST /toys/box.asmx HTTP/1.1\nHost: mail.example.org");
    includes(text, "<Toy.PutResult>0</Toy.PutResult>");
  });

  test("has a form with a control for every parameter, in wire order", () => {
    const form = /<form[\s\S]*<\/form>/.exec(page)?.[0] ?? "";
    const elements = [...form.matchAll(/data-element="(.*?)"/g)].map((match) => match[1]);
    const row = ["part", "PartId", "Label", "Colour"];
    const own = ["Token", "Size", "Serial", "Loved", "Colour", "Made", "Broken", "Parts"];
    assert.deepEqual(elements, ["Toy.Put", ...own, ...row]);
    includes(form, `data-namespace="${base}"`);
    includes(form, "<option>GREEN &amp; BLUE</option>");
    includes(form, "<option>true</option><option>false</option>");
    includes(form, 'placeholder="yyyy-mm-ddThh:mm:ss"');
    assert.deepEqual(
      [...form.matchAll(/data-element="(\w+)"[^>]* data-shared/g)].map((match) => match[1]),
      ["Token"],
    );
  });

  test("hides the form without scripts, and points to the samples", () => {
    assert.match(page, /<form [^>]*hidden>/);
    includes(text, "The form needs JavaScript");
  });
});

describe("every page", () => {
  const pages = [contract, toyService].flatMap((service) =>
    [indexPage(service, base), ...Object.keys(service.operations).map((name) => pageOf(service, name))].map(
      (page) => ({ page, policy: helpAssets(service).contentSecurityPolicy }),
    ),
  );

  test("loads only its font, and has only the style and the script that its policy allows", () => {
    for (const { page, policy } of pages) {
      const blocks = [...page.matchAll(/<(style|script)[^>]*>([\s\S]*?)<\/\1>/g)];
      assert.deepEqual(
        blocks.map((block) => block[1]),
        ["style", "script"],
      );
      for (const [, kind, text = ""] of blocks) {
        const hash = createHash("sha256").update(text).digest("base64");
        includes(policy, `${kind}-src 'sha256-${hash}'`);
      }
      assert.doesNotMatch(page, /\s(src|srcset|action|style|on\w+)=/);
      assert.doesNotMatch(page, /@import/);
      const urls = [...page.matchAll(/url\((.*?)\)/g)].map(([, url = ""]) => url);
      assert.equal(urls.length, 1);
      assert.match(urls[0] ?? "", /^(\.\.\/)*console\/assets\/inter\.[0-9a-f]{16}\.woff2$/);
      for (const [, href = ""] of page.matchAll(/href="(.*?)"/g))
        assert.match(
          href,
          /^(\?|#|data:image\/svg|[\w.]+\.asmx(#|$)|(\.\.\/)*(api\/v2\/reference|console)$)/,
        );
    }
  });

  test("has a language, a viewport, one first-level heading, and unique ids", () => {
    for (const { page } of pages) {
      includes(page, '<html lang="en">');
      includes(page, '<meta name="viewport" content="width=device-width, initial-scale=1">');
      assert.equal(page.match(/<h1/g)?.length, 1);
      const ids = [...page.matchAll(/ id="(.*?)"/g)].map((match) => match[1]);
      assert.equal(new Set(ids).size, ids.length);
    }
  });

  test("forbids everything by default", () => {
    const policy = helpAssets(contract).contentSecurityPolicy;
    for (const directive of [
      "default-src 'none'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
      includes(policy, directive);
    includes(policy, "frame-ancestors 'none'");
  });
});

describe("the pages of the real service", () => {
  test("match the reviewed files", () => {
    assertGolden("index.html", withoutAssets(indexPage(contract, base)));
    const name = "Subscriber.AddwithBasicandCustoms";
    assertGolden(`${name}.html`, withoutAssets(pageOf(contract, name)));
  });
});
