/**
 * Two workers and their primary, as of a service with several processes, for `wsdl-watch.test.ts`: the first
 * one is read from, the second one is called or not, and the first one says how many reads no call has
 * followed.
 */
import cluster, { type Worker } from "node:cluster";
import type { IncomingMessage } from "node:http";
import { relayWsdlReads, watchWsdlReads } from "#app/calls/wsdl-watch.ts";
import { Log } from "#app/log/log.ts";
import { createMetrics } from "#app/monitoring.ts";
import { ClientAddresses } from "#http/client-address.ts";

type Command = "read" | "call" | "hear" | "wait";

const from = (userAgent: string) =>
  ({
    socket: { remoteAddress: "192.0.2.1" },
    headers: { "user-agent": userAgent },
  }) as unknown as IncomingMessage;

function work(): void {
  const metrics = createMetrics();
  let now = 1;
  const watch = watchWsdlReads({
    clock: () => now,
    clients: new ClientAddresses([]),
    metrics,
    log: new Log("silent"),
  });
  const commands: Readonly<Record<Command, () => void>> = {
    read: () => watch.onWsdlRead(from("Zeep/4")),
    call: () => watch.onPost(from("Zeep/4")),
    // It has heard what was sent to it before.
    hear: () => {},
    wait: () => {
      now += 600_000;
      // Whatever comes next lets time be noticed.
      watch.onWsdlRead(from("another"));
    },
  };
  process.on("message", ({ command }: { readonly command?: Command }) => {
    if (command === undefined) return;
    commands[command]();
    void metrics.text().then((text) => {
      process.send?.({ unfollowed: Number(/^mailroll_wsdl_unfollowed_total (\d+)/m.exec(text)?.[1]) });
    });
  });
  process.send?.({ unfollowed: 0 });
}

async function lead(becomes: string | undefined): Promise<void> {
  relayWsdlReads();
  // A listener that stays: several messages may come at once.
  const answerOf = (worker: Worker): Promise<number> =>
    new Promise((resolve) => {
      worker.on("message", ({ unfollowed }: { readonly unfollowed?: number }) => {
        if (unfollowed !== undefined) resolve(unfollowed);
      });
    });
  const tell = (worker: Worker, command: Command): Promise<number> => {
    const answer = answerOf(worker);
    worker.send({ command });
    return answer;
  };
  const workers = [cluster.fork(), cluster.fork()] as const;
  await Promise.all(workers.map(answerOf));
  const [first, second] = workers;
  // As if the call overtook the news of the read.
  if (becomes === "called early") await tell(second, "call");
  await tell(first, "read");
  await tell(second, becomes === "called" ? "call" : "hear");
  const unfollowed = [await tell(first, "wait"), await tell(second, "wait")];
  process.stdout.write(JSON.stringify(unfollowed));
  for (const worker of workers) worker.process.disconnect();
}

if (cluster.isPrimary) await lead(process.argv[2]);
else work();
