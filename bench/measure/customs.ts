/** Adds with custom fields; the fields are defined first, by the service itself. */
import type { Bench } from "../bench.ts";
import { CUSTOM_FIELDS, messages, resultIn } from "../messages.ts";
import { post, type Server } from "../servers/server.ts";
import { measureCalls } from "./calls.ts";
import type { Sample } from "./sample.ts";

async function answersZero({ name, url }: Server, operation: string, message: string): Promise<void> {
  const result = resultIn(await post(url, message), operation);
  if (result !== "0") throw new Error(`${name}: the result of ${operation} is ${result}, not 0`);
}

export async function measureCustoms(bench: Bench, server: Server, round: number): Promise<Sample> {
  if (round === 0) {
    for (let i = 1; i <= CUSTOM_FIELDS; i += 1)
      await answersZero(server, "Field.Add", messages.addField(`Field ${i}`));
    const message = messages.addWithCustoms("customs@example.org");
    await answersZero(server, "Subscriber.AddwithBasicandCustoms", message);
  }
  return measureCalls(bench, server, round, { message: messages.addWithCustoms(), isAdding: true });
}
