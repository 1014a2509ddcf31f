/**
 * No regular expression of `src/` can be made slow by its input: a checker proves that it is linear, or it is
 * listed with what bounds its input, and is quick at that bound.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "recheck";
import { type Built, type Found, findExpressions } from "./find-expressions.ts";
import { type Bounded, bounded, builtInFunctions, type Listed, overOwnText } from "./listed.ts";

const { found, built } = await findExpressions();

const nameOf = ({ source, flags }: Found): string => `/${source}/${flags}`;
const entries = [...bounded, ...overOwnText];
const isOf =
  ({ pattern, file }: Listed) =>
  (one: Found): boolean =>
    file === one.file &&
    (pattern.endsWith("…") ? nameOf(one).startsWith(pattern.slice(0, -1)) : nameOf(one) === pattern);
const isListed = (one: Found): boolean => entries.some((entry) => isOf(entry)(one));

/** How long the checker may take for one expression. Nearly all take milliseconds. */
const TIMEOUT_MS = 60_000;

/** null: proved linear. The checker's other method, fuzzing, proves nothing. */
async function doubtOf({ source, flags }: Found): Promise<string | null> {
  const result = await check(source, flags, { checker: "automaton", timeout: TIMEOUT_MS });
  if (result.status === "safe") return null;
  return result.status === "vulnerable"
    ? `${result.complexity.summary}; ${result.attack.pattern.slice(0, 200)}`
    : result.error.kind;
}

test("each expression is proved linear, or listed", async () => {
  assert.ok(found.length > 300);
  assert.ok(found.some(({ file }) => file.endsWith(".js")));
  const unlisted = new Map(found.filter((one) => !isListed(one)).map((one) => [nameOf(one), one]));
  const doubts: string[] = [];
  const rest = unlisted.values();
  const work = async (): Promise<void> => {
    for (const one of rest) {
      const doubt = await doubtOf(one);
      if (doubt !== null) doubts.push(`${one.file}:${one.line} ${nameOf(one)}\n  ${doubt}`);
    }
  };
  await Promise.all([work(), work()]);
  assert.equal(doubts.join("\n"), "", "make each of them linear, or list it in test/regex/listed.ts");
});

test("the checker finds an expression that is not linear", async () => {
  const at = { file: "", line: 1, flags: "" };
  for (const source of ["a+$", "^(a|a)*$", "<head[^>]*>"])
    assert.match((await doubtOf({ ...at, source })) ?? "", /polynomial|exponential/, source);
  assert.equal(await doubtOf({ ...at, source: "^a+$" }), null);
});

const begins = (one: Built, { file, code }: Pick<Built, "file" | "code">): boolean =>
  one.file === file && one.code.startsWith(code);

test("each expression that is built in a function is listed, and what it may be is linear", async () => {
  const unlisted = built.filter((one) => !builtInFunctions.some((entry) => begins(one, entry)));
  assert.deepEqual(unlisted, []);
  const gone = builtInFunctions.filter((entry) => !built.some((one) => begins(one, entry)));
  assert.deepEqual(gone, []);
  for (const { file, like } of builtInFunctions)
    for (const source of like)
      assert.equal(await doubtOf({ file, line: 1, source, flags: "" }), null, `${file}: ${source}`);
});

test("each listed expression is in the code", () => {
  for (const entry of entries)
    assert.ok(
      found.some(isOf(entry)),
      `${entry.file} no longer has ${entry.pattern}: remove it from test/regex/listed.ts`,
    );
});

/** In milliseconds of CPU time; the least of some tries, as others use the processor, too. */
function costOf(pattern: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && least > 0.5; tries += 1) {
    const before = process.cpuUsage();
    text.replace(pattern, "");
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCodePoint(32 + at));
/** What makes the end of an expression fail. */
const ENDS = ["", "\n", "!", "\0"];

/** The most that any text of that length takes: repeated characters, and the pieces that the list names. */
function worstOf(
  pattern: RegExp,
  { most, attacks }: Bounded,
): { readonly ms: number; readonly text: string } {
  let worst = { ms: 0, text: "" };
  for (const [start, piece] of [...attacks, ...["\n", "é", ...PRINTABLE].map((one) => ["", one] as const)])
    for (const end of ENDS) {
      const text = `${start}${piece.repeat(most)}`.slice(0, most - end.length) + end;
      const ms = costOf(pattern, text);
      if (ms > worst.ms) worst = { ms, text };
    }
  return worst;
}

const MAX_MS = 5;
const PER_CHARACTERS = 16 * 1024;

for (const entry of bounded) {
  const { pattern, file, most } = entry;
  test(`${pattern} of ${file} is quick for ${most} characters`, (t) => {
    const { source = "", flags = "" } = found.find(isOf(entry)) ?? {};
    const { ms, text } = worstOf(new RegExp(source, flags), entry);
    t.diagnostic(`${ms.toFixed(2)} ms`);
    const allowed = MAX_MS * Math.max(1, most / PER_CHARACTERS);
    assert.ok(ms <= allowed, `${ms} ms for ${most} characters that begin with ${text.slice(0, 60)}`);
  });
}
