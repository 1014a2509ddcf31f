/** A reporter that names each test file in which something failed, one on a line. */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source)
    if (event.type === "test:summary" && event.data.file !== undefined && !event.data.success)
      yield `${relative(process.cwd(), event.data.file)}\n`;
}
