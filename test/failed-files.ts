/**
 * A reporter that names each test file in which something failed, one on a line. The entry of a file that
 * failed outside its tests has its name.
 */
import { relative, resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

function failedFile(event: TestEvent): string | null {
  if (event.type === "test:summary" && !event.data.success) return event.data.file ?? null;
  if (event.type !== "test:fail" || event.data.nesting > 0) return null;
  const { name, file } = event.data;
  return file !== undefined && resolve(name) === resolve(file) ? file : null;
}

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const event of source) {
    const file = failedFile(event);
    if (file !== null) files.add(relative(process.cwd(), file));
  }
  for (const file of files) yield `${file}\n`;
}
