/**
 * Parses a topic: its cases and their steps, as blocks of lines. `README.md` describes the format. What a
 * block means is up to `request.ts` and `response.ts`.
 */

/** A line with its mark, and the lines that are indented below it, without that indentation. */
export interface Block {
  /** Of the first line, from 1. */
  readonly line: number;
  readonly first: string;
  readonly rest: readonly string[];
}

export interface Step {
  readonly request: Block;
  /** Two where "100 Continue" comes first; none where UPDATE_WIRE=1 is to write it. */
  readonly responses: readonly Block[];
  /** What must be stored after the response. */
  readonly stored: readonly Stored[];
}

export interface Stored {
  readonly line: number;
  readonly address: string;
  readonly json: string;
}

export interface WireCase {
  readonly line: number;
  readonly title: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Topic {
  readonly name: string;
  readonly cases: readonly WireCase[];
}

const TITLE = "## ";
const INDENT = "  ";

export function parseTopic(file: string, text: string): Topic {
  const fail = (line: number, problem: string): never => {
    throw new Error(`${file}:${line}: ${problem}`);
  };
  const lines = text.split("\n");
  const heading = lines[0] ?? "";
  if (!heading.startsWith("# ")) fail(1, "the first line must be the topic: # Adding subscribers");
  const starts = lines.flatMap((line, index) => (line.startsWith(TITLE) ? [index] : []));
  const cases = starts.map((start, index) => {
    const blocks = toBlocks(lines.slice(start + 1, starts[index + 1]), start + 2, fail);
    return toCase((lines[start] ?? "").slice(TITLE.length), start + 1, blocks, fail);
  });
  const titles = new Map<string, number>();
  for (const { title, line } of cases) {
    if (titles.has(title)) fail(line, `line ${titles.get(title)} has the same title`);
    titles.set(title, line);
  }
  return { name: heading.slice(2), cases };
}

type Fail = (line: number, problem: string) => never;
interface Marked extends Block {
  readonly mark: string;
}

function toBlocks(lines: readonly string[], firstLine: number, fail: Fail): readonly Marked[] {
  const blocks: (Omit<Marked, "rest"> & { rest: string[] })[] = [];
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index;
    const block = blocks.at(-1);
    const [, mark, first] = /^([><=]|with)(?: (.*))?$/.exec(text) ?? [];
    if (mark !== undefined) blocks.push({ line, mark, first: first ?? "", rest: [] });
    else if (text.trim() === "") block?.rest.push("");
    else if (block !== undefined && text.startsWith(INDENT)) block.rest.push(text.slice(INDENT.length));
    else fail(line, `a line begins with ">", "<", "=" or "with", or is indented below one; this is: ${text}`);
  }
  for (const { rest } of blocks) while (rest.at(-1) === "") rest.pop();
  return blocks;
}

function toCase(title: string, line: number, blocks: readonly Marked[], fail: Fail): WireCase {
  const settings: Record<string, string> = {};
  const steps: { request: Block; responses: Block[]; stored: Stored[] }[] = [];
  for (const block of blocks) {
    const step = steps.at(-1);
    if (block.mark === "with") {
      const [, name, value] = /^(MAILROLL_\w+)=(.*)$/.exec(block.first) ?? [];
      if (name === undefined || value === undefined)
        return fail(block.line, "a setting is: with MAILROLL_NAME=value");
      settings[name] = value;
    } else if (block.mark === ">") steps.push({ request: block, responses: [], stored: [] });
    else if (step === undefined) fail(block.line, "a request, a line that begins with >, must come first");
    else if (block.mark === "<") step.responses.push(block);
    else step.stored.push(toStored(block, fail));
  }
  if (steps.length === 0) fail(line, "a case must have a request, a line that begins with >");
  return { line, title, settings, steps };
}

function toStored({ line, first, rest }: Block, fail: Fail): Stored {
  const [, address, json] = /^((?:\{\{.*?\}\}|\S)+) (.+)$/.exec([first, ...rest].join(" ")) ?? [];
  if (address === undefined || json === undefined)
    return fail(line, 'what is stored is: = address {"state": "active"}, or = address null');
  return { line, address, json };
}

/** An error says in which line of the file it is. */
export function atLine<Value>(line: number, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw new Error(`line ${line}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
