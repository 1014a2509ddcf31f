/** Checks the answers and the database of a server before it is measured. */
import type { Dataset } from "./data/dataset.ts";
import { messages, peopleIn, resultIn } from "./messages.ts";
import { post, type Server } from "./servers/server.ts";

function expect(name: string, what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${name}: ${what} is ${String(found)}, not ${String(expected)}`);
}

const CHECKED_ROWS = 10_000;

export async function checkServer(server: Server, { bounces }: Dataset): Promise<void> {
  const { name, url } = server;
  const before = await server.members();
  // One that keeps nothing was looked at when it started.
  if (before === null) return;
  const probed = await post(url, messages.probe);
  expect(
    name,
    "the result of Client.TestApiConnection",
    resultIn(probed, "Client.TestApiConnection"),
    "true",
  );
  for (const again of [1, 2]) {
    const added = await post(url, messages.add("checked@example.org"));
    expect(name, `the result of Subscriber.Add, time ${again},`, resultIn(added, "Subscriber.Add"), "0");
    expect(name, `the number of members after add ${again}`, await server.members(), before + 1);
  }
  const notThere = await post(
    url,
    messages.add("checked@example.org").replace(/(<SubscribersListID>)\d+/, "$1999"),
  );
  expect(
    name,
    "the result of Subscriber.Add to an unknown list",
    resultIn(notThere, "Subscriber.Add"),
    "101",
  );
  for (const [i, rows] of bounces.entries()) {
    // The size of longer ones is checked whenever they are read.
    if (rows > CHECKED_ROWS) continue;
    const answer = await post(url, messages.bounces(i + 1));
    expect(name, `the number of rows of campaign ${i + 1}`, peopleIn(answer), rows);
    const escaped = answer.match(/King &amp; &lt;Noel(?:>|&gt;)</g)?.length ?? 0;
    expect(name, `the number of escaped names of campaign ${i + 1}`, escaped, rows / 100);
  }
}
