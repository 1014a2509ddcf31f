/** The files of cases, and what UPDATE_WIRE=1 writes into them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseTopic, type Step, type Topic } from "./parse.ts";

const folder = join(import.meta.dirname, "cases");

export interface TopicFile extends Topic {
  readonly file: string;
}

export const readTopics = (): readonly TopicFile[] =>
  readdirSync(folder)
    .toSorted()
    .map((file) => ({ file, ...parseTopic(file, readFileSync(join(folder, file), "utf8")) }));

/** Gathers the responses of one file, and writes them at the end, when lines may move. */
export class Updates {
  readonly #file: string;
  readonly #byLine = new Map<number, { readonly step: Step; readonly lines: readonly string[] }>();

  constructor(file: string) {
    this.#file = file;
  }

  /** A case of both versions of SOAP comes here twice, and has one text for both. */
  add(step: Step, lines: readonly string[]): void {
    const known = this.#byLine.get(step.request.line);
    if (known !== undefined && known.lines.join("\n") !== lines.join("\n"))
      throw new Error(
        `the versions of SOAP get different responses; make two cases of it: ${lines.join("\n")}`,
      );
    this.#byLine.set(step.request.line, { step, lines });
  }

  write(): void {
    if (this.#byLine.size === 0) return;
    const path = join(folder, this.#file);
    const text = readFileSync(path, "utf8").split("\n");
    for (const { step, lines } of [...this.#byLine.values()].toReversed()) {
      const { request, responses } = step;
      const last = responses.at(-1) ?? request;
      const end = last.line + last.rest.length;
      const start = responses[0] === undefined ? end : responses[0].line - 1;
      text.splice(start, end - start, ...lines);
    }
    writeFileSync(path, text.join("\n"));
  }
}
