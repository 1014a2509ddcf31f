/** The files of cases, and what UPDATE_WIRE=1 writes into them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseTopic, type Step, type Topic } from "./parse.ts";

const cases = join(import.meta.dirname, "..", "cases");

export interface TopicFile extends Topic {
  readonly file: string;
  readonly path: string;
}

export const readTopics = (folder = cases): readonly TopicFile[] =>
  readdirSync(folder)
    .toSorted()
    .map((file) => {
      const path = join(folder, file);
      return { file, path, ...parseTopic(file, readFileSync(path, "utf8")) };
    });

/** Gathers the responses of one file, and writes them at the end, when lines may move. */
export class Updates {
  readonly #path: string;
  readonly #byLine = new Map<number, { readonly step: Step; readonly lines: readonly string[] }>();

  constructor(path: string) {
    this.#path = path;
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
    const text = readFileSync(this.#path, "utf8").split("\n");
    for (const { step, lines } of [...this.#byLine.values()].toSorted(
      (a, b) => b.step.request.line - a.step.request.line,
    )) {
      const { request, responses } = step;
      const last = responses.at(-1) ?? request;
      const end = last.line + last.rest.length;
      const start = responses[0] === undefined ? end : responses[0].line - 1;
      text.splice(start, end - start, ...lines);
    }
    writeFileSync(this.#path, text.join("\n"));
  }
}
