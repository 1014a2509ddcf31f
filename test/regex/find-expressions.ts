/**
 * Every regular expression of `src/`, from the syntax tree: literals, `new RegExp`, and the patterns in the
 * schemas of the API. An expression that a module builds when it is loaded is recorded while it is.
 */
import { globSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Expression, Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isRegularExpressionLiteral,
  isStringLiteralLikeNode,
} from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";

const root = resolve(import.meta.dirname, "../..");

export interface Found {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}
/** Built from other values, in a function: nobody knows what it will be. */
export interface Built {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}
export interface Expressions {
  readonly found: readonly Found[];
  readonly built: readonly Built[];
}

export async function findExpressions(): Promise<Expressions> {
  const { found, built } = inSyntaxTree();
  const loaded = await recordedIn([...new Set(built.map(({ file }) => file))]);
  const isAt =
    ({ file, line }: Built) =>
    (one: Found) =>
      one.file === file && one.line === line;
  return {
    found: [
      ...found,
      ...loaded.filter((one) => built.some((code) => isAt(code)(one))),
      ...(await inSchemas()),
    ],
    built: built.filter((code) => !loaded.some(isAt(code))),
  };
}

function inSyntaxTree(): Expressions {
  const found: Found[] = [];
  const built: Built[] = [];
  const api = new API({ cwd: root });
  try {
    const files = globSync("src/**/*.{ts,js}", { cwd: root });
    const snapshot = api.updateSnapshot({ openFiles: files.map((file) => join(root, file)) });
    for (const file of files) {
      const path = join(root, file);
      const tree = snapshot.getDefaultProjectForFile(path)?.program.getSourceFile(path);
      if (tree === undefined) throw new Error(`${file} was not read`);
      for (const node of nodesOf(tree)) {
        const line = tree.text.slice(0, node.getStart(tree)).split("\n").length;
        if (isRegularExpressionLiteral(node)) {
          const end = node.text.lastIndexOf("/");
          found.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
        } else if (isNewExpression(node) || isCallExpression(node)) {
          if (!isIdentifier(node.expression) || node.expression.text !== "RegExp") continue;
          const [source, flags] = (node.arguments ?? []).map(textOf);
          if (typeof source === "string" && flags !== null)
            found.push({ file, line, source, flags: flags ?? "" });
          else built.push({ file, line, code: node.getText(tree) });
        }
      }
    }
  } finally {
    api.close();
  }
  return { found, built };
}
const textOf = (node: Expression): string | null => (isStringLiteralLikeNode(node) ? node.text : null);

function nodesOf(tree: SourceFile): readonly Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): undefined => {
    nodes.push(node);
    node.forEachChild(visit);
  };
  visit(tree);
  return nodes;
}

async function recordedIn(files: readonly string[]): Promise<readonly Found[]> {
  const recorded: Found[] = [];
  const usual = globalThis.RegExp;
  globalThis.RegExp = new Proxy(usual, {
    construct(target, given: [string, string?]) {
      const expression = new target(...given);
      const place = /\((?:file:\/\/)?([^()]+):(\d+):\d+\)|at (?:file:\/\/)?([^() ]+):(\d+):\d+$/m;
      // The line of whoever called: the first one is this function.
      const frame = place.exec(new Error("recorded").stack?.split("\n").slice(2).join("\n") ?? "") ?? [];
      const { source, flags } = expression;
      const file = relative(root, decodeURI(frame[1] ?? frame[3] ?? ""));
      recorded.push({ file, line: Number(frame[2] ?? frame[4]), source, flags });
      return expression;
    },
  });
  try {
    for (const file of files) await import(join(root, file));
  } finally {
    globalThis.RegExp = usual;
  }
  return recorded;
}

/** The validator of the API makes expressions of them. */
async function inSchemas(): Promise<readonly Found[]> {
  const { routes } = await import("#api/v2/routes.ts");
  const patterns = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value))
      if (name === "pattern" && typeof inner === "string") patterns.add(inner);
      else visit(inner);
  };
  for (const { query, body } of routes) visit([query, body]);
  return [...patterns].map((source) => ({ file: "src/api/v2/routes.ts", line: 1, source, flags: "u" }));
}
