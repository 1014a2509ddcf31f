/**
 * Every client that can be installed, through the whole scenario, against the real program; and what others
 * say of our answers.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { soap11, soap12 } from "#soap/version.ts";
import { parseXml } from "../asmx/xml-tree.ts";
import { Installation } from "../cli/program.ts";
import { broken, rules, type SoapAnswer } from "./basic-profile.ts";
import { type Client, clients, type Version } from "./clients.ts";
import { clientsPage, operationNames } from "./clients-page.ts";
import { pasteCommand, pasteRequest, sampleResults } from "./help-page-samples.ts";
import { type Variant, variants } from "./names.ts";
import { assertSame, check, resultIn } from "./outcome.ts";
import { build, run } from "./program.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { type Step, steps, stored } from "./scenario.ts";
import { makeTemplate } from "./template.ts";
import { answerSchema, schemaOf, schemaSchema, wsdlSchema, xmllint } from "./xmllint.ts";

const here = import.meta.dirname;
const root = join(here, "../..");
const folder = mkdtempSync(join(tmpdir(), "mailroll-interop-"));
const template = join(folder, "template.db");
const namespaces: Readonly<Record<Version, string>> = { "1.1": soap11.namespace, "1.2": soap12.namespace };

let proxy: RecordingProxy;
let endpoint: string;
let wsdl: string;
/** Everything that was answered, and what each client got through. */
const answers: SoapAnswer[] = [];
const passed = new Map<Variant, Map<Version, readonly Step[]>>();

/** The real program on a copy of the template, behind the proxy while the work goes on. */
async function withProgram<Result>(work: (installation: Installation) => Promise<Result>): Promise<Result> {
  const installation = new Installation();
  try {
    mkdirSync(dirname(installation.database), { recursive: true });
    copyFileSync(template, installation.database);
    const served = await installation.serve();
    proxy.target = Number(new URL(served.endpoint).port);
    return await work(installation);
  } finally {
    await installation.remove();
  }
}

/** What was answered to SOAP calls since the last time, documents apart. */
const takeAnswers = (): readonly SoapAnswer[] =>
  proxy
    .take()
    .map(({ status, headers, body }) => ({
      status,
      contentType: headers.get("content-type") ?? "",
      text: body.toString("utf8"),
    }))
    .filter(({ text }) => /^<\?xml [^>]*><soap(12)?:Envelope /.test(text));

/** The person whom the client added with data is known with just that data. */
async function assertStored(installation: Installation): Promise<void> {
  const shown = await installation.run(["subscriber", "show", stored.email, "--account", "1", "--json"]);
  assert.equal(shown.code, 0, shown.err);
  // The number of a large field is exact in the text, and would not be as a number of this language.
  const record: unknown = JSON.parse(shown.out.replace(/"id": ?(\d+)/g, '"id":"$1"'));
  assert.partialDeepStrictEqual(record, { ...stored.data, values: stored.values });
}

const programOf = (client: Client): string => readFileSync(join(here, client.folder, client.program), "utf8");
/** One folder for each client and way to call: generated code, caches, whatever it leaves. */
const folderOf = ({ title }: Variant): string => join(folder, title.replace(/\W+/g, "-"));

/** The folder of its program: as it is, or a copy with the program rewritten. */
function sourceOf(variant: Variant): string {
  const { client, rewrite } = variant;
  if (rewrite === null) return join(here, client.folder);
  const copy = join(folderOf(variant), "interop");
  const source = join(copy, client.folder);
  if (existsSync(source)) return source;
  cpSync(here, copy, { recursive: true, filter: (file) => !file.endsWith("node_modules") });
  const modules = client.folder === "strong-soap" ? join(here, client.folder) : root;
  symlinkSync(join(modules, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(source, client.program), rewrite(programOf(client)));
  return source;
}

before(async () => {
  await makeTemplate(template);
  proxy = await RecordingProxy.listen();
  endpoint = `${proxy.origin}/default.asmx`;
  await withProgram(async () => {
    wsdl = await (await fetch(`${endpoint}?wsdl`)).text();
  });
  proxy.take();
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await proxy.close();
});

for (const variant of variants)
  describe(variant.title, () => {
    const { client } = variant;
    // By any names a client sends the same bytes: one version shows that it finds them.
    const versions = variant.rewrite === null ? client.versions : client.versions.slice(0, 1);
    before(async () => {
      mkdirSync(folderOf(variant), { recursive: true });
      await withProgram(async () => {
        for (const command of client.build(`${endpoint}${variant.wsdl}`, sourceOf(variant), versions))
          await build(command, folderOf(variant));
      });
      proxy.take();
    });

    for (const version of versions)
      test(`passes all steps over SOAP ${version}`, async () => {
        const sent = steps.filter(({ oddity }) => oddity === null || client.cannotSend[oddity] === undefined);
        await withProgram(async (installation) => {
          const command = client.run(endpoint, version, sourceOf(variant));
          const outcomes = await run(command, folderOf(variant), sent);
          const failures: string[] = [];
          const went = sent.filter((step, index) => {
            const outcome = outcomes[index];
            try {
              assert.ok(outcome !== undefined);
              check(step, outcome, client.fault.type);
              return true;
            } catch (error) {
              failures.push(`${step.operation}, ${step.what}: ${(error as Error).message}`);
              return false;
            }
          });
          passed.set(variant, (passed.get(variant) ?? new Map()).set(version, went));
          assert.deepEqual(failures, []);
          await assertStored(installation);
        });
        const answered = takeAnswers();
        assert.equal(answered.length, sent.length, "one answer for each step");
        for (const { text } of answered) assert.equal(parseXml(text).uri, namespaces[version]);
        answers.push(...answered);
      });
  });

for (const client of clients)
  test(`the program of ${client.name} is written as the reference says`, () => {
    const program = programOf(client);
    for (const operation of client.writtenOut === "all" ? operationNames : (["Subscriber.Add"] as const))
      assert.ok(program.includes(client.called(operation)), client.called(operation));
    assert.ok(program.includes(client.fault.code), client.fault.code);
  });

describe("the samples of the help pages, pasted unchanged", () => {
  const ways = {
    "the curl commands": pasteCommand,
    "the requests of SOAP 1.1 with their headers": (page: string) => pasteRequest(page, endpoint, "1.1"),
    "the requests of SOAP 1.2 with their headers": (page: string) => pasteRequest(page, endpoint, "1.2"),
  };
  for (const [name, paste] of Object.entries(ways))
    test(name, async () => {
      await withProgram(async () => {
        for (const operation of operationNames) {
          const page = await (await fetch(`${endpoint}?op=${operation}`)).text();
          assertSame(resultIn(operation, await paste(page)), sampleResults[operation]);
        }
      });
      answers.push(...takeAnswers());
    });
});

describe("the checks of independent tools", () => {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test("the WSDL is valid by the schemas of WSDL 1.1 and its SOAP binding", () => {
    const schema = wsdlSchema(folder);
    assert.equal(xmllint(schema, [file("mailroll.wsdl", wsdl)]), "");
    const wrong = wsdl.replace('<soap:body use="literal"', '<soap:body use="nonsense"');
    assert.match(xmllint(schema, [file("wrong.wsdl", wrong)]), /'nonsense' is not an element of the set/);
  });
  test("the schema in the WSDL is valid by the schema of XML Schema", () => {
    const schema = schemaSchema(folder);
    assert.equal(xmllint(schema, [file("in-wsdl.xsd", schemaOf(wsdl))]), "");
    const wrong = schemaOf(wsdl).replace('minOccurs="0"', 'minOccurs="nonsense"');
    assert.match(xmllint(schema, [file("wrong.xsd", wrong)]), /'nonsense' is not a valid value/);
  });
  test("every answer is valid by the schema in the WSDL and by that of its envelope", () => {
    assert.ok(answers.length > 1000, `${answers.length} answers`);
    const schema = answerSchema(folder, wsdl, proxy.origin);
    const files = answers.map(({ text }, index) => file(`answer-${index}.xml`, text));
    assert.equal(xmllint(schema, files), "");
    // What the schema does not know is not looked at, so it must know everything.
    for (const { text } of answers) {
      const [, content = ""] = /:Body><(?:soap(?:12)?:)?([\w.]+)/.exec(text) ?? [];
      assert.ok(content === "Fault" || wsdl.includes(`<s:element name="${content}">`), content);
    }
    const [list] = answers.filter(({ text }) => text.includes("<SubscribersQuantity>2<"));
    const wrong = list?.text.replace("<SubscribersQuantity>2<", "<SubscribersQuantity>two<") ?? "";
    assert.match(xmllint(schema, [file("wrong.xml", wrong)]), /'two' is not a valid value/);
  });
  test("the WSDL conforms to the WS-I Basic Profile 1.1 according to .NET", async () => {
    const program = [
      "mcs",
      "-out:conformance.exe",
      "-r:System.Web.Services",
      join(here, "mono/Conformance.cs"),
    ];
    await build(program, folder);
    const brokenBy = (path: string): string =>
      execFileSync("mono", ["conformance.exe", path], { cwd: folder, encoding: "utf8" }).trim();
    assert.equal(brokenBy(file("mailroll.wsdl", wsdl)), "");
    const wrong = wsdl.replace('element="tns:Field.Add"', 'element="tns:Subscriber.Add"');
    assert.equal(brokenBy(file("wrong.wsdl", wrong)), "R2710");
  });
  test("every answer in SOAP 1.1 conforms to the WS-I Basic Profile 1.1", () => {
    const inSoap11 = answers.filter(({ text }) => text.includes(soap11.namespace));
    for (const answer of inSoap11) assert.deepEqual(broken(answer), [], answer.text.slice(0, 1000));
    const [fault] = inSoap11.filter(({ text }) => text.includes("soap:Fault"));
    assert.ok(fault !== undefined);
    for (const [number, { breakIt }] of Object.entries(rules))
      assert.ok(broken(breakIt(fault)).includes(number), `${number} cannot fail`);
  });
});

test("docs/reference/clients.md matches the results of this run", () => {
  const path = join(root, "docs/reference/clients.md");
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(path, clientsPage(passed));
  assert.equal(readFileSync(path, "utf8"), clientsPage(passed));
});
