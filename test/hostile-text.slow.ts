/**
 * Text that has broken other programs, in every string there is: it changes nothing but what it was meant
 * for, comes back as it went, and is harmless wherever it is shown, on either store.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SaxesParser } from "saxes";
import { contract } from "#contract/operations.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { parseAddress } from "#domain/address.ts";
import { escapeText } from "#soap/reply/escape.ts";
import { Installation } from "./cli/program.ts";
import { hostileText } from "./fuzz/hostile-text.ts";
import { sendRequest } from "./send-request.ts";
import { call, KEY, type Service, startService, withKey } from "./service.ts";
import { sharedPostgres } from "./shared-postgres.ts";

const tag = (name: string, text: string | number | bigint): string =>
  `<${name}>${escapeText(String(text))}</${name}>`;

/** The texts of all elements of a name in an answer, as any XML parser reads them. */
function textsOf(body: string, name: string): string[] {
  const texts: string[] = [];
  let text: string | null = null;
  const parser = new SaxesParser();
  parser.on("opentag", (opened) => {
    if (opened.name === name) text = "";
  });
  parser.on("text", (given) => {
    if (text !== null) text += given;
  });
  parser.on("closetag", (closed) => {
    if (closed.name !== name || text === null) return;
    texts.push(text);
    text = null;
  });
  parser.write(body).close();
  return texts;
}
/** Names are trimmed, and have no control characters. */
const names = hostileText.map((text) => text.trim()).filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text));

/** Every string that a caller can say, as the operation with just that one in place. */
function* everyString(): Generator<
  readonly [operation: string, path: string, params: (text: string) => string]
> {
  for (const [operation, { params }] of Object.entries(contract.operations))
    for (const path of stringsIn(params))
      yield [operation, path.join("/"), (text) => written(params, path, text)];
}
function stringsIn(fields: Fields): string[][] {
  return Object.entries(fields).flatMap(([name, type]) => {
    if (type.kind === "scalar") return type.xsd === "string" ? [[name]] : [];
    const inner = type.kind === "array" ? type.item : type;
    return inner.kind === "sequence" ? stringsIn(inner.fields).map((path) => [name, ...path]) : [[name]];
  });
}
function written(fields: Fields, [at, ...rest]: readonly string[], text: string): string {
  return Object.entries(fields)
    .map(([name, type]) => tagOf(name, type, name === at ? rest : null, text))
    .join("");
}
function tagOf(name: string, type: XsdType, path: readonly string[] | null, text: string): string {
  if (path?.length === 0) return tag(name, text);
  if (type.kind === "array" && path !== null)
    return `<${name}><${type.item.name}>${written(type.item.fields, path, text)}</${type.item.name}></${name}>`;
  if (type.kind === "enum") return tag(name, type.values[0]);
  if (name === "APIKey") return tag(name, KEY);
  if (name === "EMail") return tag(name, "somebody@example.org");
  return type.kind === "scalar" && type.xsd === "int" ? tag(name, 1) : "";
}

const server = await sharedPostgres();

for (const store of ["SQLite", "PostgreSQL"] as const)
  describe(`on ${store}`, () => {
    const home = new Installation({ keepsOpen: true });
    let database: string;
    let service: Service;
    before(async () => {
      database = store === "SQLite" ? `sqlite:${home.database}` : await server.newDatabase();
      service = await startService({ database, "trusted-proxies": "127.0.0.1" });
    });
    after(async () => {
      await service.close();
      await home.remove();
    });

    async function commandLine(...words: string[]): Promise<string> {
      const { code, out, err } = await home.runHere([...words, "--database", database]);
      assert.equal(code, 0, err);
      // Nothing in it may move the cursor, turn the direction, or look like a line of ours: "line\nbreak" is
      // one of the texts.
      assert.doesNotMatch(out, /^break/m);
      assert.doesNotMatch(out.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      return out;
    }
    const document = async <Document>(...words: string[]): Promise<Document> =>
      JSON.parse(await commandLine(...words, "--json")) as Document;

    describe("hostile text in", () => {
      const found = [...everyString()];
      test("covers every string parameter of every operation", () => assert.equal(found.length, 32));
      for (const [operation, path, params] of found)
        test(`${operation} ${path} answers with an outcome or a fault`, async () => {
          const answers = await Promise.all(
            hostileText.map((text) => call(service, operation, params(text))),
          );
          for (const { body, code } of answers) {
            assert.doesNotThrow(() => textsOf(body, "x"), body);
            assert.notEqual(code, "InternalError", body);
          }
        });
      test("accepts no hostile text as an API key", async () => {
        // Each from a client of its own: so many failed keys of one would be held back.
        for (const [n, text] of hostileText.entries()) {
          const from = { "X-Forwarded-For": `192.0.2.${n}` };
          const { result } = await call(service, "Client.TestApiConnection", tag("APIKey", text), from);
          assert.equal(result, "false", text);
        }
      });
    });

    describe("hostile text is returned unchanged", () => {
      const at = Date.UTC(2026, 0, 1);
      const operator = { account: 1, at, origin: { kind: "operator" }, recordedCall: null } as const;
      test("returns names of fields unchanged, and lists them on the command line", async () => {
        const { body } = await call(service, "Field.GetFields", withKey());
        // "Field.Add fieldName" above has added them all.
        assert.deepEqual(textsOf(body, "Name").sort(), [...names].sort());
        const fields = await document<{ name: string }[]>("field", "list");
        assert.deepEqual(fields.map(({ name }) => name).sort(), [...names].sort());
        assert.equal((await commandLine("field", "list")).trim().split("\n").length, names.length + 1);
      });

      test("returns names of lists and campaigns unchanged", async () => {
        for (const name of names) {
          await service.store.lists.create({ account: 1, name, at });
          await service.store.campaigns.record({
            account: 1,
            name,
            lists: [1],
            createdAt: at,
            sentAt: at,
          });
        }
        const [lists, campaigns] = await Promise.all([
          call(service, "Client.GetSubscribersLists", withKey()),
          call(service, "Client.GetCampaignsList", withKey()),
        ]);
        assert.deepEqual(textsOf(lists.body, "Name").slice(1), names);
        assert.deepEqual(textsOf(campaigns.body, "Name").sort(), [...names].sort());
        assert.equal((await commandLine("list", "list")).trim().split("\n").length, names.length + 2);
        assert.equal((await commandLine("campaign", "list")).trim().split("\n").length, names.length + 1);
      });

      const add = (address: string, more: string) =>
        call(
          service,
          "Subscriber.AddwithBasicandCustoms",
          withKey(`${tag("SubscribersListID", 1)}${tag("EMail", address)}${more}`),
        );

      test("returns names of subscribers unchanged", async () => {
        for (const [index, text] of hostileText.entries()) {
          const address = `p${index}@example.org`;
          const added = await add(address, tag("FirstName", text) + tag("LastName", text));
          assert.equal(added.result, "0", text);
          const lost = { address: parseAddress(address), campaign: 1, event: "unsubscribed" } as const;
          await service.store.campaigns.recordEvent({ ...operator, ...lost });
        }
        const { body } = await call(service, "Campaign.GetUnsubscribesList", withKey(tag("CampaignID", 1)));
        assert.deepEqual(textsOf(body, "FirstName").sort(), [...hostileText].sort());
        assert.deepEqual(textsOf(body, "LastName").sort(), [...hostileText].sort());
      });

      test("shows data of a subscriber on the command line", async () => {
        const numbered = hostileText.map((text, index) => [`Field ${index}`, text] as const);
        for (const [name] of numbered)
          await service.store.fields.add({
            ...operator,
            field: { name, type: "STRING", isPrivate: false },
          });
        const { body } = await call(service, "Field.GetFields", withKey());
        const ids = new Map(
          textsOf(body, "Name").map((name, index) => [name, textsOf(body, "FieldId")[index] ?? ""]),
        );
        const values = numbered.map(
          ([name, text]) =>
            `<customField>${tag("Customfieldid", ids.get(name) ?? "")}${tag("Value", text)}</customField>`,
        );
        const added = await add("all@example.org", `<CustomsFields>${values.join("")}</CustomsFields>`);
        assert.equal(added.result, "0");
        const show = ["subscriber", "show", "all@example.org"] as const;
        const shown = await document<{ values: { value: string }[] }>(...show);
        assert.deepEqual(shown.values.map(({ value }) => value).sort(), [...hostileText].sort());
        await commandLine(...show);
      });

      test("shows refused calls on the command line", async () => {
        for (const text of hostileText)
          await call(service, "Subscriber.Unsubscribe", withKey(tag("EMail", `${text}@`)));
        const { refused } = await document<{
          refused: { operation: string; arguments: { EMail: string } }[];
        }>("refused", "list", "--limit", "2000");
        const kept = refused
          .filter(({ operation }) => operation === "Subscriber.Unsubscribe")
          .map((call) => call.arguments.EMail);
        for (const text of hostileText) assert.ok(kept.includes(`${text}@`), text);
        await commandLine("refused", "list", "--limit", "2000");
      });
    });

    test("repeats nothing of a request in help pages", async () => {
      const page = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
        (await sendRequest(`${service.origin}/default.asmx?${query}`, { headers })).body;
      const ordinary = await page("op=NoSuchOperation");
      for (const text of hostileText) {
        assert.equal(await page(`op=${encodeURIComponent(text)}`), ordinary, text);
        assert.equal(await page(`op=Nope&${encodeURIComponent(text)}=1`), ordinary, text);
      }
    });

    test("passes all checks after hostile text", async () => {
      const { code, out, err } = await home.runHere(["doctor", "--database", database]);
      assert.equal(code, 0, out + err);
    });
  });
