/**
 * What each shell must complete, with the script that `mailroll completion` prints for it, whatever that
 * looks like.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { completionScript } from "#cli/commands/completion.ts";
import { commands } from "#cli/commands.ts";
import { skipUnless } from "../skip-unless.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What runs a script, and what it runs after the completion script to print what may follow the words. */
const shells = {
  bash: {
    run: ["bash", "-c"],
    ask: (words: readonly string[]) =>
      `COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _mailroll; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    run: ["zsh", "-f", "-c"],
    ask: (words: readonly string[]) =>
      `_describe() { print -l -- \${\${(P)2}%%:*} }; compadd() { print -l -- "$@" }; _files() { print -l -- *(N) };
       words=(${words.map(quoted).join(" ")}); CURRENT=$#words; _mailroll`,
  },
  fish: {
    run: ["fish", "--no-config", "-c"],
    ask: (words: readonly string[]) => `complete -C ${quoted(words.join(" "))}`,
  },
} as const;
type Shell = keyof typeof shells;

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ["--version"]).status === 0;

/** What the shell offers after the words, of which the last one is not finished. */
function offered(shell: Shell, folder: string, words: readonly string[]): readonly string[] {
  const { run, ask } = shells[shell];
  const [program, ...options] = run;
  // zsh registers the function; without its completion system there is nowhere to.
  const registry = shell === "zsh" ? "compdef() { : }\n" : "";
  const script = `${registry}${completionScript(shell, commands)}\n${ask(["mailroll", ...words])}`;
  const { stdout, stderr, status } = spawnSync(program, [...options, script], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0 || stderr !== "")
    throw new Error(`${shell} ended with ${status}: ${stderr.slice(0, 2000)}`);
  const last = words.at(-1) ?? "";
  return stdout
    .split("\n")
    .map((line) => line.replace(/\t.*/, "").replace(/\/$/, ""))
    .filter((word) => word !== "" && word.startsWith(last))
    .toSorted();
}

export function completionSuite(shell: Shell): void {
  describe(`the completion of ${shell}`, {
    skip: skipUnless(
      isInstalled(shell),
      `${shell} is missing; install it (Debian: apt-get install ${shell})`,
    ),
  }, () => {
    const folder = mkdtempSync(join(tmpdir(), "mailroll-completion-"));
    after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "people.csv"), "");
    const offers = (...words: readonly string[]) => offered(shell, folder, words);

    test("offers the first words of all commands", () => {
      assert.deepEqual(
        offers(""),
        [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))].toSorted((one, other) =>
          one.localeCompare(other),
        ),
      );
      assert.deepEqual(offers("ke"), ["key"]);
    });
    test("offers what may follow a first and a second word", () => {
      assert.deepEqual(offers("key", ""), ["create", "list", "revoke", "set"]);
      assert.deepEqual(offers("user", "to"), ["token", "totp"]);
      assert.deepEqual(offers("user", "token", ""), ["create", "list", "revoke"]);
    });
    test("offers the options of the command, and settings as options", () => {
      assert.deepEqual(offers("key", "create", "--s"), ["--scope"]);
      assert.deepEqual(offers("user", "token", "create", "--na"), ["--name"]);
      assert.deepEqual(offers("key", "revoke", "5", "--acc"), ["--account"]);
      assert.deepEqual(offers("serve", "--po"), ["--port"]);
    });
    test("offers the values of an option that has only some, and files where a file is meant", () => {
      assert.deepEqual(offers("key", "create", "--scope", ""), ["full", "read"]);
      assert.deepEqual(offers("import", "subscribers", "peo"), ["people.csv"]);
      assert.deepEqual(offers("campaign", "create", "Spring", "--html", "peo"), ["people.csv"]);
      assert.deepEqual(offers("key", "create", "--label", ""), []);
    });
  });
}
