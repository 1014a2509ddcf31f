/** A real client, node-soap, through all operations over the served WSDL, in both SOAP versions. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Client, createClientAsync } from "soap";
import { KEY, type Service, startService } from "./service.ts";

type Method = (args: object) => Promise<readonly [Record<string, unknown> | null]>;
type Faulty = { root: { Envelope: { Body: { Fault: Record<string, unknown> } } } };

const COUNT = 5000;
const name = 'José Ñandú <ñ@example.org> & "co" 😀';

for (const version of ["1.1", "1.2"] as const)
  describe(`node-soap over SOAP ${version}`, () => {
    let service: Service;
    let client: Client;
    /** node-soap gives null for a reply whose only element is empty, and bytes as text. */
    const call = async (operation: string, args: object = {}, key = KEY): Promise<unknown> => {
      const methods = client as unknown as Readonly<Record<string, Method>>;
      const method = methods[`${operation.replace(".", "_")}Async`];
      assert.ok(method, operation);
      const [reply] = await method({ APIKey: key, ...args });
      if (reply !== null) assert.deepEqual(Object.keys(reply), [`${operation}Result`]);
      const result = reply?.[`${operation}Result`] ?? null;
      return typeof result === "string" && /^\d+$/.test(result) ? Number(result) : result;
    };
    const list = { SubscribersListID: 1 };

    before(async () => {
      service = await startService();
      const options = { normalizeNames: true, forceSoap12Headers: version === "1.2" };
      client = await createClientAsync(`${service.origin}/default.asmx?wsdl`, options);
    });
    after(() => service.close());

    test("finds all operations in the description, by both of their names", () => {
      const described = client.describe() as Record<string, Record<string, Record<string, unknown>>>;
      assert.deepEqual(Object.keys(described), ["Mailroll"]);
      for (const port of ["MailrollSoap", "MailrollSoap12", "MailrollShortSoap", "MailrollShortSoap12"])
        assert.equal(Object.keys(described.Mailroll?.[port] ?? {}).length, 15, port);
    });
    test("Client.TestApiConnection distinguishes valid keys from invalid ones", async () => {
      assert.equal(await call("Client.TestApiConnection"), true);
      assert.equal(await call("Client.TestApiConnection", {}, "nonsense"), false);
    });
    test("Field.Add and Field.GetFields keep names and ids exactly", async () => {
      const field = (fieldName: string, dataType: string) =>
        call("Field.Add", { fieldName, isPrivate: true, dataType });
      assert.equal(await field(name, "STRING"), 0);
      assert.equal(await field(name, "STRING"), 255);
      assert.equal(await field("", "REAL"), 254);
      assert.deepEqual(await call("Field.GetFields"), {
        field: [{ FieldId: 1, Name: name, IsPrivate: true, DataType: "STRING" }],
      });
    });
    test("Subscriber.Add, AddwithBasicandCustoms, Remove and Unsubscribe answer with their bytes", async () => {
      const EMail = "ada@example.org";
      assert.equal(await call("Subscriber.Add", { ...list, EMail }), 0);
      assert.equal(await call("Subscriber.Add", { ...list, EMail: "nonsense" }), 1);
      const data = {
        ...list,
        FirstName: name,
        EMail,
        CustomsFields: { customField: [{ Customfieldid: 1, Value: name }] },
        Gender: "F",
        Birthday: "1985-12-10T00:00:00",
        CountryID: 826,
      };
      assert.equal(await call("Subscriber.AddwithBasicandCustoms", data), 0);
      const unknownField = { customField: [{ Customfieldid: "9007199254740993", Value: "x" }] };
      assert.equal(
        await call("Subscriber.AddwithBasicandCustoms", { ...data, CustomsFields: unknownField }),
        252,
      );
      assert.equal(await call("Subscriber.Remove", { ...list, EMail }), 0);
      assert.equal(await call("Subscriber.Remove", { ...list, EMail }), 202);
      assert.equal(await call("Subscriber.Unsubscribe", { EMail }), 0);
      assert.equal(await call("Subscriber.Add", { ...list, EMail }), 206);
    });
    test("Client.GetSubscribersLists gives records with dates", async () => {
      await call("Subscriber.Add", { ...list, EMail: "bob@example.org" });
      const { subscriberslist } = (await call("Client.GetSubscribersLists")) as {
        subscriberslist: readonly Record<string, unknown>[];
      };
      assert.equal(subscriberslist.length, 1);
      const [record] = subscriberslist;
      assert.equal(record?.Name, "Newsletter");
      assert.equal(record.SubscribersQuantity, 1);
      assert.ok(record.CreationDate instanceof Date);
    });
    test("campaign operations return nothing, one, and a list of 5,000 rows", async () => {
      assert.equal(await call("Client.GetCampaignsList"), null);
      assert.equal(await call("Client.GetLastSentCampaign"), null);
      const { store } = service;
      const at = Date.UTC(2026, 2, 3, 7, 15);
      const campaign = { account: 1, name, lists: [1], createdAt: at };
      const unsent = await store.campaigns.record({ ...campaign, createdAt: at + 1000, sentAt: null });
      const sent = await store.campaigns.record({ ...campaign, sentAt: at });
      assert.ok("id" in sent && "id" in unsent);
      const CampaignID = sent.id;
      const record = { CampaignID, Name: name, CreationDate: new Date(at), SentDate: new Date(at) };
      assert.deepEqual(await call("Client.GetLastSentCampaign"), record);
      assert.deepEqual(await call("Client.GetCampaignsList"), {
        campaign: [{ CampaignID: unsent.id, Name: name, CreationDate: new Date(at + 1000) }, record],
      });
      const lists = (await call("Campaign.GetSubscribersLists", { CampaignID })) as {
        subscriberslist: unknown[];
      };
      assert.equal(lists.subscriberslist.length, 1);
      assert.equal(await call("Campaign.GetUnsubscribesList", { CampaignID }), null);
      await Promise.all(
        Array.from({ length: COUNT }, (_, n) =>
          lose(service, CampaignID, "bounced", `p${n}@example.org`, at + n),
        ),
      );
      await lose(service, CampaignID, "unsubscribed", "bob@example.org", at);
      const { subscriber } = (await call("Campaign.GetHardBouncesList", { CampaignID })) as {
        subscriber: readonly Record<string, unknown>[];
      };
      assert.equal(subscriber.length, COUNT);
      assert.deepEqual(
        subscriber.map((row) => row.EMail),
        Array.from({ length: COUNT }, (_, n) => `p${n}@example.org`),
      );
      const unsubscribed = (await call("Campaign.GetUnsubscribesList", { CampaignID })) as {
        subscriber: readonly Record<string, unknown>[];
      };
      assert.equal(unsubscribed.subscriber.length, 1);
      assert.equal(unsubscribed.subscriber[0]?.EMail, "bob@example.org");
    });
    test("a fault reaches the caller with its code and its text", async () => {
      const codeOf = async (operation: string, args: object, key = KEY): Promise<string> => {
        try {
          await call(operation, args, key);
        } catch (error) {
          return JSON.stringify((error as Faulty).root.Envelope.Body.Fault);
        }
        return "no fault";
      };
      assert.match(await codeOf("Client.GetCampaignsList", {}, "nonsense"), /"code":"InvalidApiKey"/);
      assert.match(
        await codeOf("Campaign.GetSubscribersLists", { CampaignID: 99 }),
        /"code":"UnknownCampaign"/,
      );
      const bad = await codeOf("Subscriber.Add", { SubscribersListID: "seven", EMail: "a@example.org" });
      assert.match(bad, /"code":"InvalidParameter"/);
      assert.match(bad, /SubscribersListID/);
    });
  });

const lose = (
  { store }: Service,
  campaign: number,
  event: "bounced" | "unsubscribed",
  text: string,
  at: number,
): Promise<string> => {
  const address = { text, key: text, domain: "example.org" };
  const origin = { kind: "import", batch: null } as const;
  return store.campaigns.recordEvent({
    account: 1,
    at,
    origin,
    recordedCall: null,
    address,
    campaign,
    event,
  });
};
