/** Calls and their arguments, without starting the program. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "#cli/commands.ts";
import { UsageError } from "#cli/kit/command.ts";
import { commandHelp, overview, ownOptions } from "#cli/kit/help.ts";
import { parseCall, parseChoice, parseId, parsePair } from "#cli/kit/parse-call.ts";
import { unknownVariables } from "#cli/kit/request.ts";
import { parseEnd } from "#cli/kit/terminal/text.ts";
import { readTime } from "#transfer/values/time.ts";

const isUsage = (pattern: RegExp) => (error: unknown) =>
  error instanceof UsageError && pattern.test(error.message);
const parse = (...words: string[]) => parseCall(commands, words);

test("the commands are listed in the order of the documentation", () => {
  const families = [...new Set(commands.map(({ name }) => name.split(" ")[0]))];
  assert.deepEqual(families, [
    "serve",
    "account",
    "key",
    "list",
    "field",
    "subscriber",
    "block",
    "campaign",
    "sender",
    "import",
    "pull",
    "export",
    "refused",
    "user",
    "console",
    "job",
    "audit",
    "statistics",
    "backup",
    "restore",
    "copy",
    "doctor",
    "health",
    "completion",
    "version",
  ]);
  const text = overview(commands, 80).replace(/\s+/g, " ");
  for (const { name, args, doc } of commands)
    assert.ok(text.includes(`${[name, ...args].join(" ")} ${doc}`), name);
});

for (const command of commands)
  test(`the help of '${command.name}' shows all its options and a valid example`, () => {
    const help = commandHelp(command, 100).replace(/\s+/g, " ");
    for (const [name, { doc }] of Object.entries(ownOptions(command)))
      assert.ok(help.includes(`--${name}`) && help.includes(doc), `--${name}`);
    assert.ok(help.startsWith(command.doc));
    assert.ok(help.includes(`Usage: mailroll ${[command.name, ...command.args].join(" ")}`));
    assert.ok(help.includes(`Example: mailroll ${command.example}`));
    assert.equal(/Common options: .*--account/.test(help), command.inAccount);
    const words = command.example.match(/'[^']*'|\S+/g) ?? [];
    const call = parse(...words.map((word) => word.replace(/^'|'$/g, "")));
    assert.equal(call.command, command);
  });

test("help is printed even if arguments and options are missing", () => {
  assert.equal(parse("field", "create", "--help").values.help, true);
  assert.equal(parse("list", "rename", "-h").values.help, true);
});

test("only a command that creates a thing shows defaults: one that changes it keeps other values", () => {
  const changing = commands.filter(({ name }) => / (?:set|edit|change|rename)$/.test(name));
  assert.ok(changing.length > 3, changing.map(({ name }) => name).join());
  for (const { name, options } of changing)
    for (const [option, { doc }] of Object.entries(options))
      assert.doesNotMatch(doc, /\bdefault\b/, `${name} --${option}`);
  const helpOf = (name: string): string => {
    const command = commands.find((one) => one.name === name);
    assert.ok(command);
    return commandHelp(command, 1000);
  };
  assert.match(helpOf("sender create"), /--dkim-selector NAME .* \(default: mailroll\)\./);
  assert.match(helpOf("campaign create"), /--layout NAME .* \(default: plain\)\./);
});

test("invalid usage reports what was wrong and the usage", () => {
  const wrong: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [["frobnicate"], /there is no command 'frobnicate'; there are: serve, account, key, .*doctor/],
    [["key", "frob"], /there is no command 'key frob'; there are: key create, key list, key set, key revoke/],
    [["list", "rename", "1"], /NAME is missing\. Usage: bin\/mailroll list rename ID NAME/],
    [["block", "list", "x"], /'x' is an unexpected argument\. Usage: bin\/mailroll block list/],
    [["key", "list", "--frob"], /there is no option --frob\. Usage: bin\/mailroll key list/],
    [
      ["field", "create", "A"],
      /--type is missing\. Usage: bin\/mailroll field create NAME --type TYPE \[--private\]/,
    ],
    [["subscriber", "reactivate", "a@b.c", "--from", "bounced"], /--reason is missing/],
    [["campaign", "record", "A"], /--list is missing/],
    [["account", "list", "--account", "1"], /there is no option --account\./],
    [["serve", "--json"], /there is no option --json\./],
  ];
  for (const [words, message] of wrong)
    assert.throws(() => parse(...words), isUsage(message), words.join(" "));
});

test("repeated options keep all their values, and everything after -- is an argument", () => {
  assert.deepEqual(parse("campaign", "record", "A", "--list", "1", "--list", "2").values.list, ["1", "2"]);
  assert.deepEqual(parse("list", "create", "--", "--odd").args, ["--odd"]);
});

test("ids, choices and pairs are parsed as users write them", () => {
  assert.equal(parseId("12", "ID"), 12);
  for (const bad of ["0", "-1", "1.5", "x", "", undefined])
    assert.throws(() => parseId(bad, "ID"), isUsage(/ID must be a number/));
  assert.equal(parseChoice("Consent", "--type", ["STRING", "CONSENT"]), "CONSENT");
  assert.throws(
    () => parseChoice("x", "--type", ["A", "B"]),
    isUsage(/--type must be one of A, B; 'x' is none/),
  );
  assert.deepEqual(parsePair("a=b=c", "--set"), ["a", "b=c"]);
  for (const bad of ["a", "=b", ""]) assert.throws(() => parsePair(bad, "--set"), isUsage(/NAME=VALUE/));
});

test("times without an offset are in UTC", () => {
  const ten = Date.UTC(2026, 10, 1, 10);
  for (const text of [
    "2026-11-01T10:00:00Z",
    "2026-11-01T10:00:00",
    "2026-11-01T10:00",
    "2026-11-01 10:00",
    " 2026-11-01T12:00:00+02:00 ",
    "2026-11-01T07:00-03:00",
  ])
    assert.equal(readTime(text), ten, text);
  assert.equal(readTime("2026-11-01"), Date.UTC(2026, 10, 1));
  assert.equal(readTime("2026-11-01T10:00:00.250Z"), ten + 250);
  for (const text of ["", "now", "2026-02-30", "2026-11-01T25:00:00Z", "1/11/2026", "1762000000", "2026-11"])
    assert.equal(readTime(text), null, text);
  assert.equal(readTime("9999-12-31T23:59:59.999Z"), Date.UTC(10_000, 0) - 1);
  for (const text of ["9999-12-31T23:00:00-02:00", "0001-01-01T00:00:00+01:00"])
    assert.equal(readTime(text), null, "not in the years 1 to 9999 of UTC");
});

test("an expiry date means the end of that day, an expiry time means that time", () => {
  assert.equal(parseEnd("2026-11-30", "--expires"), Date.UTC(2026, 11, 1) - 1);
  assert.equal(parseEnd("2026-11-30T00:00:00Z", "--expires"), Date.UTC(2026, 10, 30));
  assert.throws(() => parseEnd("soon", "--expires"), isUsage(/--expires .* 2026-11-01T10:00:00Z; 'soon'/));
});

test("an unknown variable is reported with the most similar setting", () => {
  const [typo, odd, none] = unknownVariables({
    PATH: "",
    MAILROLL_PORT: "1",
    MAILROLL_ACCOUNT: "1",
    MAILROLL_PROT: "1",
    MAILROLL_SOMETHING_ELSE: "1",
  });
  assert.match(typo ?? "", /MAILROLL_PROT .* did you mean MAILROLL_PORT\?/);
  assert.match(odd ?? "", /MAILROLL_SOMETHING_ELSE .* 'bin\/mailroll serve --help'/);
  assert.equal(none, undefined);
});
