/**
 * The two predecessors of Subscriber.AddwithBasicandCustoms in what surrounds a call: refused calls, replay,
 * metrics, history.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Installation } from "./cli/program.ts";
import { parseOpenMetrics, valueIn } from "./metrics/open-metrics.ts";
import { call, type Service, startService, withKey } from "./service.ts";

interface Refused {
  readonly id: number;
  readonly operation: string;
  readonly outcome: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
interface Shown {
  readonly values: readonly { readonly value: string }[];
}

const address = "grace@example.org";
const customs = (field: number): string =>
  `<CustomsFields><customField><Customfieldid>${field}</Customfieldid><Value>Arlington</Value></customField></CustomsFields>`;
const params = (more: string, list = 1): string =>
  withKey(
    `<SubscribersListID>${list}</SubscribersListID><FirstName>Grace</FirstName><LastName>Hopper</LastName><EMail>${address}</EMail>${more}`,
  );

describe("a refused call of a predecessor", () => {
  const home = new Installation();
  const database = `sqlite:${home.database}`;
  let service: Service;
  before(async () => {
    service = await startService({ database, "metrics-port": "0" });
  });
  after(async () => {
    await service.close();
    await home.remove();
  });

  const commandLine = async <Document>(...words: string[]): Promise<Document> => {
    const { code, out, err } = await home.runHere([...words, "--json", "--database", database]);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Document;
  };
  const refusedBy = async (operation: string): Promise<Refused> => {
    const { refused } = await commandLine<{ refused: readonly Refused[] }>("refused", "list");
    const [found] = refused.filter((one) => one.operation === operation);
    return found ?? assert.fail(`no refused ${operation}`);
  };

  test("is recorded with its arguments and done by a replay with a correction", async () => {
    const { result } = await call(service, "Subscriber.AddwithName", params("", 99));
    assert.equal(result, "101");
    const { id, outcome, arguments: args } = await refusedBy("Subscriber.AddwithName");
    assert.equal(outcome, "UnknownList");
    assert.deepEqual(args, {
      SubscribersListID: "99",
      FirstName: "Grace",
      LastName: "Hopper",
      EMail: address,
    });
    const replayed = await commandLine("refused", "replay", String(id), "--set", "SubscribersListID=1");
    assert.deepEqual(replayed, { outcome: "Done", byte: 0 });
    const shown = await commandLine<object>("subscriber", "show", address);
    assert.partialDeepStrictEqual(shown, { firstName: "Grace", lastName: "Hopper" });
  });

  test("is replayed with its custom values", async () => {
    await call(
      service,
      "Field.Add",
      withKey("<fieldName>Town</fieldName><isPrivate>0</isPrivate><dataType>STRING</dataType>"),
    );
    const { result } = await call(service, "Subscriber.AddwithNameandCustoms", params(customs(1), 99));
    assert.equal(result, "101");
    const { id } = await refusedBy("Subscriber.AddwithNameandCustoms");
    const replayed = await commandLine("refused", "replay", String(id), "--set", "SubscribersListID=1");
    assert.deepEqual(replayed, { outcome: "Done", byte: 0 });
    const { values } = await commandLine<Shown>("subscriber", "show", address);
    assert.deepEqual(
      values.map(({ value }) => value),
      ["Arlington"],
    );
  });

  test("is counted under its own name", async () => {
    const text = await (await fetch(`http://localhost:${service.metricsPort}/metrics`)).text();
    const families = parseOpenMetrics(text);
    for (const operation of ["Subscriber.AddwithName", "Subscriber.AddwithNameandCustoms"])
      assert.equal(
        valueIn(families, "mailroll_requests_total", { operation, soap: "1.1", outcome: "UnknownList" }),
        1,
      );
  });
});
