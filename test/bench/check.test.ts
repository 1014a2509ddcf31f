/** A server with wrong answers is not measured: each case is a server with one error. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { checkServer } from "../../bench/check.ts";
import { empty, withBounces } from "../../bench/data/dataset.ts";
import { checkMembers } from "../../bench/measure/calls.ts";

interface Wrong {
  readonly probe?: string;
  readonly status?: number;
  readonly firstAdd?: string;
  readonly unknownList?: string;
  readonly isForgetful?: boolean;
  readonly isCountingTwice?: boolean;
  readonly missingRows?: number;
  readonly isUnescaped?: boolean;
}

/** What a right server answers, but for what is wrong with this one. */
async function checked(wrong: Wrong, data = empty): Promise<void> {
  let members = 0;
  const known = new Set<string>();
  const result = (operation: string, value: string): string =>
    `<s:${operation}Result>${value}</s:${operation}Result>`;
  const person = (i: number): string => {
    const name = wrong.isUnescaped === true ? "King &amp; Noel" : "King &amp; &lt;Noel&gt;";
    return `<EMail>p${i}@example.org</EMail><LastName>${i % 100 === 0 ? name : "Lovelace"}</LastName>`;
  };
  const add = (message: string): string => {
    const [, list = "", address = ""] = /<SubscribersListID>(\d+)<.*<EMail>(.*)<\/EMail>/.exec(message) ?? [];
    if (list !== "1") return result("Subscriber.Add", wrong.unknownList ?? "101");
    if (!known.has(address) || wrong.isCountingTwice === true) members += wrong.isForgetful === true ? 0 : 1;
    known.add(address);
    return result("Subscriber.Add", wrong.firstAdd ?? "0");
  };
  const answerTo = (message: string): string => {
    if (message.includes("TestApiConnection"))
      return result("Client.TestApiConnection", wrong.probe ?? "true");
    if (message.includes("Subscriber.Add")) return add(message);
    const rows = data.bounces[Number(/<CampaignID>(\d+)/.exec(message)?.[1]) - 1] ?? 0;
    return Array.from({ length: rows - (wrong.missingRows ?? 0) }, (_, i) => person(i + 1)).join("");
  };
  const server = createServer((request, response) => {
    request.setEncoding("utf8");
    let message = "";
    request.on("data", (chunk) => {
      message += chunk;
    });
    request.on("end", () => response.writeHead(wrong.status ?? 200).end(answerTo(message)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const stop = (): Promise<void> => Promise.resolve();
    await checkServer(
      {
        name: "peer",
        url,
        working: [],
        own: [],
        members: () => Promise.resolve(members),
        lastWords: () => null,
        stop,
      },
      data,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("checks before a measurement", () => {
  test("accepts a server with correct answers", () => checked({}, withBounces(300)));
  const cases: Readonly<Record<string, readonly [Wrong, RegExp]>> = {
    "a key that does not work": [
      { probe: "false" },
      /peer: the result of Client.TestApiConnection is false, not true/,
    ],
    "another status": [{ status: 500 }, /HTTP 500/],
    "an add that is refused": [{ firstAdd: "1" }, /result of Subscriber.Add, time 1, is 1, not 0/],
    "an add that leaves no row": [{ isForgetful: true }, /members after add 1 is 0, not 1/],
    "an add that counts a person twice": [{ isCountingTwice: true }, /members after add 2 is 2, not 1/],
    "an unknown list that it takes": [{ unknownList: "0" }, /unknown list is 0, not 101/],
    "a row too few": [{ missingRows: 1 }, /rows of campaign 1 is 99, not 100/],
    "names that are not escaped": [{ isUnescaped: true }, /escaped names of campaign 1 is 0, not 1/],
  };
  for (const [what, [wrong, expected]] of Object.entries(cases))
    test(`rejects a server with ${what}`, () => assert.rejects(checked(wrong, withBounces(300)), expected));
});

describe("answered adds", () => {
  test("expects a member for each answered add, and possibly for those answered too late", () => {
    checkMembers("peer", 100, 1100, 1000, 64);
    checkMembers("peer", 100, 1100 + 128, 1000, 64);
  });
  test("fails the run for answered adds without rows", () => {
    assert.throws(
      () => checkMembers("peer", 100, 1099, 1000, 64),
      /answered 1000 adds, but its database has 999 more/,
    );
    assert.throws(() => checkMembers("peer", 100, 100, 1000, 64), /0 more members/);
  });
  test("fails the run for rows without adds", () => {
    assert.throws(() => checkMembers("peer", 100, 1100 + 129, 1000, 64), /1129 more/);
  });
  test("fails the run for a server that stores nothing", () => {
    assert.throws(() => checkMembers("peer", null, null, 1000, 64), /0 more/);
  });
});
