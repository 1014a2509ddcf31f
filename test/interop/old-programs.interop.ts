/**
 * A program that was written for the old service with PHP's SoapClient, run as it is, with the new host and
 * nothing else changed.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type TakenOver, takeOver } from "../moving/taken-over.ts";

describe("a web site that calls with PHP's SoapClient, by short names from the plain WSDL", () => {
  let takenOver: TakenOver;
  let answers: Readonly<Record<string, unknown>>;
  before(async () => {
    takenOver = await takeOver();
    const program = join(import.meta.dirname, "../moving/old-site.php");
    const { stdout } = await promisify(execFile)("php", [program, takenOver.endpoint]);
    answers = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  });
  after(() => takenOver.installation.remove());

  test("gets the answers that it expects", () => {
    const { lists, campaigns, campaignLists, ...others } = answers;
    assert.deepEqual(others, { connected: true, added: 0, named: 0, withTown: 0, optedOut: 206 });
    assert.deepEqual(campaigns, {});
    assert.match(String(campaignLists), /campaign 9\b/);
    const { subscriberslist } = lists as { subscriberslist: readonly Record<string, unknown>[] };
    assert.partialDeepStrictEqual(subscriberslist[1], { SubscribersListID: 543_181, Name: "Customers" });
  });
  test("has its accents stored unchanged", async () => {
    const name = { firstName: "José", lastName: "Ñandú" };
    assert.partialDeepStrictEqual(await takenOver.show("named@example.org"), name);
    assert.partialDeepStrictEqual(await takenOver.show("town@example.org"), {
      ...name,
      values: [{ field: { name: "Town" }, value: "Córdoba" }],
    });
  });
});
