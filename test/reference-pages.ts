/** The pages of docs/reference and the README's table, written from the declarations that they describe. */
import { commands } from "../src/cli/commands.ts";
import { commandHelp } from "../src/cli/help.ts";
import { flagOf, type SettingName, settingGroups, settings, variableOf } from "../src/config.ts";
import { faultKinds } from "../src/contract/faults.ts";
import { contract } from "../src/contract/operations.ts";
import { outcomes } from "../src/contract/outcomes.ts";
import { expectation, type Fields, type XsdType } from "../src/contract/xsd.ts";
import { wrapMarkdown } from "./markdown.ts";

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
const page = (...parts: readonly string[]): string => wrapMarkdown(`${parts.join("\n\n")}\n`);
const note = "Generated from the source. `UPDATE_GOLDEN=1 npm test` updates it.";

const operations = Object.entries(contract.operations);

export const operationTable = (): string =>
  table(
    ["Operation", "What it does"],
    operations.map(([name, { doc }]) => [`\`${name}\``, doc]),
  );

const typeOf = (type: XsdType): string =>
  type.kind === "scalar" ? type.xsd : type.kind === "array" ? `${type.item.name} elements` : type.name;
const fieldRows = (fields: Fields, notes: Readonly<Record<string, string | undefined>>) =>
  Object.entries(fields).map(([name, type]) => [`\`${name}\``, typeOf(type), notes[name] ?? ""]);

function resultOf(type: XsdType): string {
  if (type.kind === "array")
    return `Zero or more \`${type.item.name}\` elements: ${Object.keys(type.item.fields).join(", ")}.`;
  if (type.kind === "sequence")
    return `One record: ${Object.keys(type.fields).join(", ")}; nil where there is none.`;
  return `${typeOf(type)}.`;
}

function operationsPage(): string {
  const sections = operations.flatMap(([name, operation]) => {
    const notes: Readonly<Record<string, string | undefined>> = operation.notes;
    const bytes = Object.entries<{ readonly byte: number }>(operation.outcomes);
    const answers = bytes.map(([outcome, { byte }]) => `${byte} ${outcome}`).join(", ");
    return [
      `## ${name}`,
      operation.doc,
      table(["Parameter", "Type", ""], fieldRows(operation.params, notes)),
      `Result: ${resultOf(operation.result)}${bytes.length > 0 ? ` ${answers}.` : ""}`,
      `Short name: \`${operation.shortName}\`.`,
    ];
  });
  const types = operations.flatMap(([, { params }]) => Object.values<XsdType>(params));
  const enumerations = [...new Set(types.filter((type) => type.kind === "enum"))];
  return page(
    "# Operations",
    note,
    ...sections,
    ...enumerations.flatMap((type) => [`## ${type.name}`, `${expectation(type)}.`]),
  );
}

function outcomesPage(): string {
  return page(
    "# Outcomes and faults",
    note,
    "## The result byte",
    "Operations that write return a byte. 0 means success. Any other value means that nothing was changed. If several apply, the first in this table is returned.",
    table(
      ["Byte", "Name", "Meaning", "Operations"],
      Object.entries(outcomes).map(([name, { byte, text }]) => [
        String(byte),
        name,
        text,
        operations
          .filter(([, operation]) => name in operation.outcomes)
          .map(([operation]) => operation)
          .join(", "),
      ]),
    ),
    "## Faults",
    'Each fault has its code in the detail: `<error xmlns="…"><code>InvalidApiKey</code></error>`.',
    table(
      ["Code", "When", "HTTP"],
      Object.entries(faultKinds).map(([code, { when, status }]) => [code, when, String(status)]),
    ),
  );
}

function settingRow(name: SettingName): readonly string[] {
  const { default: fallback, doc, expected } = settings[name];
  return [
    `\`${variableOf(name)}\``,
    `\`--${flagOf(name)}\``,
    `\`${name}\``,
    fallback === "" ? "–" : `\`${fallback}\``,
    doc,
    expected,
  ];
}

function settingsPage(): string {
  const names = Object.keys(settings) as SettingName[];
  const head = ["Variable", "Flag", "In the file", "Default", "Meaning", "Takes"];
  const sections = settingGroups.flatMap((group) => [
    `## ${group}`,
    table(head, names.filter((name) => settings[name].group === group).map(settingRow)),
  ]);
  return page(
    "# Settings",
    note,
    "A flag comes before a variable, a variable before `mailroll.config.json`, and that before the default. An invalid\nvalue is reported in one line, with exit code 78.",
    ...sections,
  );
}

function commandLinePage(): string {
  const sections = commands.map(
    (command) => `## ${command.name}\n\n\`\`\`\n${commandHelp(command, {})}\n\`\`\``,
  );
  return page(
    "# The command line",
    note,
    "Every command takes `--help`, but for `copy` `--database` and, but for `serve`, `--json`. Those within an account take `--account`, which is needed where there is more than one.",
    ...sections,
  );
}

export const referencePages: Readonly<Record<string, () => string>> = {
  "operations.md": operationsPage,
  "outcomes-and-faults.md": outcomesPage,
  "settings.md": settingsPage,
  "command-line.md": commandLinePage,
};
