/**
 * Programs that were written for the old service, run as they are, with the new host in their address and
 * nothing else changed.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { takeOver } from "./taken-over.ts";

const takenOver = await takeOver();
after(() => takenOver.installation.remove());

async function answersOf(program: string): Promise<Readonly<Record<string, string>>> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const words = ["--disable-warning=ExperimentalWarning", file, takenOver.endpoint];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as Readonly<Record<string, string>>;
}

describe("a form that calls by nusoap: HTTP/1.0, Latin-1, the WSDL before every call, short names", () => {
  let answers: Readonly<Record<string, string>>;
  before(async () => {
    answers = await answersOf("./old-form.ts");
  });

  test("gets the answers that it knows", () => {
    const { lists, ...others } = answers;
    assert.deepEqual(others, { connected: "true", named: "0", withTown: "0", optedOut: "206" });
    assert.match(lists ?? "", /<SubscribersListID>543181<\/SubscribersListID><Name>Customers<\/Name>/);
  });
  test("has its accents stored as they were written", async () => {
    const name = { firstName: "José", lastName: "Ñandú Müßig" };
    assert.partialDeepStrictEqual(await takenOver.show("named@example.org"), name);
    assert.partialDeepStrictEqual(await takenOver.show("town@example.org"), {
      ...name,
      values: [{ field: { name: "Town" }, value: "Córdoba" }],
    });
  });
});

describe("a CRM that writes its envelopes by hand, in the old namespace and without a WSDL", () => {
  let answers: Readonly<Record<string, string>>;
  before(async () => {
    answers = await answersOf("./old-crm.ts");
  });

  test("gets the answers that it knows", () => {
    assert.deepEqual(answers, {
      connected: "true",
      customer: "0",
      older: "0",
      removed: "0",
      optedOut: "206",
    });
  });
  test("has its data stored as it was written", async () => {
    const name = { firstName: "Zoë", lastName: "O'Brien & Söhne" };
    const customer = await takenOver.show("customer@example.org");
    assert.partialDeepStrictEqual(customer, {
      ...name,
      gender: "F",
      birthday: "1985-12-10",
      country: "BR",
    });
    const older = await takenOver.show("older@example.org");
    assert.partialDeepStrictEqual(older, { ...name, gender: null, birthday: null, country: null });
    for (const { values } of [customer, older])
      assert.partialDeepStrictEqual(values, [
        { field: { name: "Town" }, value: "São Paulo" },
        { field: { name: "Newsletter" }, value: "true" },
      ]);
  });
});
