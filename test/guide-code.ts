/**
 * Code in the guide is code of the tests. A page names a program and the parts of it that it shows, and the block that follows is
 * made of just those:
 *
 *   <!-- test/interop/php/client.php: connect, call -->
 *
 * In the program a part stands between lines that end with <connect> and </connect>; what has the same name is put together.
 */
import { readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const languages: Readonly<Record<string, string>> = {
  ".cpp": "cpp",
  ".cs": "csharp",
  ".java": "java",
  ".mjs": "js",
  ".php": "php",
  ".pl": "perl",
  ".py": "python",
  ".sh": "sh",
};

/** The page with every block as its program has it now. */
export const withCode = (page: string): string =>
  page.replace(
    /<!-- (test\/\S+): ([\w, ]+) -->\n(?:```[^\n]*\n[\s\S]*?\n```\n)?/g,
    (_, file: string, names: string) => {
      const program = readFileSync(join(root, file), "utf8");
      const code = names.split(", ").map((name) => partOf(program, name, file));
      return `<!-- ${file}: ${names} -->\n\`\`\`${languages[extname(file)] ?? ""}\n${code.join("\n\n")}\n\`\`\`\n`;
    },
  );

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
