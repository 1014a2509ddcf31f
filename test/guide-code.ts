/**
 * Code in the guide is code of the tests, and a file that it shows is a file of the repository. A page names
 * a file, or the parts of a program, and the block that follows is made of just that:
 *
 *   <!-- test/interop/examples/php/client.php -->
 *   <!-- test/interop/php/client.php: connect, call -->
 *
 * In the program a part stands between lines that end with <connect> and </connect>; what has the same name
 * is put together.
 */
import { readFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const languages: Readonly<Record<string, string>> = {
  ".conf": "nginx",
  ".cpp": "cpp",
  ".cs": "csharp",
  ".java": "java",
  ".mjs": "js",
  ".php": "php",
  ".pl": "perl",
  ".py": "python",
  ".sh": "sh",
  ".yaml": "yaml",
  Caddyfile: "caddyfile",
};

const marked =
  /<!-- ((?:test\/|deploy\/|compose\.)[^\s:]+)(?:: ([\w, ]+))? -->\n(?:```[^\n]*\n[\s\S]*?\n```\n)?/g;

const languageOf = (file: string): string => languages[extname(file)] ?? languages[basename(file)] ?? "";

/** The page with every block as its program has it now. */
export const withCode = (page: string): string =>
  page.replace(marked, (_, file: string, names: string | undefined) => {
    const program = readFileSync(join(root, file), "utf8");
    const parts = names?.split(", ").map((name) => partOf(program, name, file)) ?? [program.trimEnd()];
    const mark = names === undefined ? file : `${file}: ${names}`;
    return `<!-- ${mark} -->\n\`\`\`${languageOf(file)}\n${parts.join("\n\n")}\n\`\`\`\n`;
  });

/** A program that a page shows whole, and the commands of the same section that make and run it. */
export interface ShownProgram {
  readonly file: string;
  readonly commands: readonly string[];
}

export function shownPrograms(page: string): readonly ShownProgram[] {
  // Without the code: its comments look like headings.
  const bare = page.replace(marked, (_, file: string, names?: string) =>
    names === undefined ? `<!-- ${file} -->\n` : "",
  );
  return bare.split(/^(?=#{1,2} )/m).flatMap((section) => {
    const [, file] = /^<!-- (\S+) -->$/m.exec(section) ?? [];
    if (file === undefined) return [];
    const blocks = section.matchAll(/^```sh\n([\s\S]*?)\n```$/gm);
    return [{ file, commands: [...blocks].flatMap(([, block = ""]) => block.split("\n")) }];
  });
}

function partOf(program: string, name: string, file: string): string {
  const pieces = [...program.matchAll(new RegExp(`^.*<${name}>\\n([\\s\\S]*?)\\n.*</${name}>$`, "gm"))];
  if (pieces.length === 0) throw new Error(`${file} has no part <${name}>`);
  return pieces.map(([, piece = ""]) => outdented(piece)).join("\n");
}

function outdented(code: string): string {
  const lines = code.split("\n");
  const margins = lines.filter((line) => line !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...margins))).join("\n");
}
