/** The pages of docs/reference and the README's table, written from the declarations that they describe. */
import { flagOf, type SettingName, settingGroups, settings, variableOf } from "#app/settings/config.ts";
import { PREDECESSORS } from "#asmx/help/families.ts";
import { commands } from "#cli/commands.ts";
import { errorCodes } from "#cli/kit/errors.ts";
import { commandHelp, overview } from "#cli/kit/help.ts";
import { faultKinds } from "#contract/faults.ts";
import { contract } from "#contract/operations.ts";
import { outcomes } from "#contract/outcomes.ts";
import type { Operation, ShortName } from "#contract/service.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { isAtLeast, roles } from "#domain/access/user.ts";
import { expectedValue } from "#domain/field/custom-value.ts";
import { actions } from "./admin/all-actions.ts";
import { wrapMarkdown } from "./markdown.ts";

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
const page = (...parts: readonly string[]): string => wrapMarkdown(`${parts.join("\n\n")}\n`);
const note = "Generated from the source. `UPDATE_GOLDEN=1 npm test` updates it.";

const operations = Object.entries<Operation>(contract.operations);
const current = operations.filter(([, { supersededBy }]) => supersededBy === null);
const predecessors = operations.filter(([, { supersededBy }]) => supersededBy !== null);

const operationTable = (): string =>
  table(
    ["Operation", "What it does"],
    current.map(([name, { doc }]) => [`\`${name}\``, doc]),
  );

const typeOf = (type: XsdType): string =>
  type.kind === "scalar" ? type.xsd : type.kind === "array" ? `${type.item.name} elements` : type.name;
const fieldRows = (fields: Fields, notes: Readonly<Record<string, string | undefined>>) =>
  Object.entries(fields).map(([name, type]) => [`\`${name}\``, typeOf(type), notes[name] ?? ""]);

function resultOf(type: XsdType): string {
  if (type.kind === "array")
    return `Zero or more \`${type.item.name}\` elements: ${Object.keys(type.item.fields).join(", ")}.`;
  if (type.kind === "sequence")
    return `One record: ${Object.keys(type.fields).join(", ")}; nil if there is none.`;
  return `${typeOf(type)}.`;
}

function operationSection(heading: string, [name, operation]: readonly [string, Operation]): string[] {
  const bytes = Object.entries(operation.outcomes);
  const answers = bytes.map(([outcome, { byte }]) => `${byte} ${outcome}`).join(", ");
  const { supersededBy } = operation;
  return [
    `${heading} ${name}`,
    operation.doc,
    ...(supersededBy === null ? [] : [`Superseded by \`${supersededBy}\`.`]),
    table(["Parameter", "Type", ""], fieldRows(operation.params, operation.notes)),
    `Result: ${resultOf(operation.result)}${bytes.length > 0 ? ` ${answers}.` : ""}`,
    `Short name: ${operation.shortNames.map(shortName).join(", ")}.`,
  ];
}
const shortName = ({ name, isConfirmed }: ShortName): string =>
  `\`${name}\` (${isConfirmed ? "confirmed" : "by the same pattern"})`;

function operationsPage(): string {
  return page(
    "# Operations",
    note,
    operationTable(),
    "The WSDL at `?wsdl` contains each operation twice: under its own name (with a dot), and under a short name. Programs that were written for another service call the short names. The messages are the same. A short name is *confirmed* if a known program calls it; the others follow the same pattern. `?wsdl&names=dotted` contains only the names with a dot, `?wsdl&names=short` only the short names.",
    ...current.flatMap((entry) => operationSection("##", entry)),
    `## ${PREDECESSORS.name}`,
    PREDECESSORS.doc,
    ...predecessors.flatMap((entry) => operationSection("###", entry)),
    "## DataType",
    "`Field.Add` requires the data type of the new field. The data type decides which values the field accepts. A call with any other value is refused with 253. A telephone number without `+` and country code is read as a number of the account's country (`account set --country`).",
    table(["DataType", "A value of the field is"], Object.entries(expectedValue)),
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
    fallback ? `\`${fallback}\`` : "–",
    doc,
    expected,
  ];
}

function settingsPage(): string {
  const names = Object.keys(settings) as SettingName[];
  const head = ["Variable", "Flag", "In `mailroll.config.json`", "Default", "Meaning", "Accepted values"];
  const sections = settingGroups.flatMap((group) => [
    `## ${group}`,
    table(head, names.filter((name) => settings[name].group === group).map(settingRow)),
  ]);
  return page(
    "# Settings",
    note,
    "If a setting is given in several places, a flag takes precedence over a variable, and a variable over `mailroll.config.json` in the current directory. Otherwise the default applies. If a value is invalid, the program prints one line about it and exits with code 78.",
    ...sections,
  );
}

const PAGE_WIDTH = 100;

function commandLinePage(): string {
  const sections = commands.map(
    (command) => `## ${command.name}\n\n\`\`\`\n${commandHelp(command, PAGE_WIDTH)}\n\`\`\``,
  );
  return page(
    "# The command line",
    note,
    "`mailroll --help` and `mailroll account --help` list the commands on standard output. Without `--help` the list goes to standard error and the exit code is 2, because the command is missing. Help is wrapped at the width of the terminal, or at `COLUMNS`. Common options may precede or follow the command.",
    `\`\`\`\n${overview(commands, PAGE_WIDTH)}\n\`\`\``,
    "## Exit codes",
    table(
      ["Exit code", "Meaning"],
      [
        ["0", "Success."],
        ["1", "The command failed, in whole or in part."],
        ["2", "Invalid usage; nothing was done."],
        ["78", "A setting is invalid; nothing was done."],
        ["130", "A second Ctrl-C (SIGINT) ended the command before it could finish or clean up."],
        ["143", "As 130, by a second SIGTERM or SIGHUP."],
      ],
    ),
    "## JSON",
    "With `--json` a command prints one JSON document on standard output, and nothing on standard error. If the exit code is not 0, the document has an `error` with a stable `code` and a readable `message`. Partial results, such as the counts of an import with rejected rows, are beside it. `notes` has the lines that are printed on standard error without `--json`. Commands that ask for confirmation need `--yes`.",
    '```json\n{ "error": { "code": "UnknownCommand", "message": "there is no command \'acount list\'; did you mean …" } }\n```',
    "The code is one of these, or the name of an [outcome](outcomes-and-faults.md). For an outcome, the document also has `outcome` with that name and `byte` with its number.",
    table(
      ["Code", "Meaning"],
      Object.entries(errorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    ...sections,
  );
}

const YES = "✓";

/** The actions as the code declares them: that is what is enforced. */
function permissionsPage(): string {
  const sorted = actions.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ofRoles = sorted.flatMap(({ name, role }) => (role === "user" ? [] : [{ name, role }]));
  return page(
    "# Permissions",
    note,
    "What an operator can do is an action. Each action needs a role, and a higher role may do everything that a lower one may. The command line is always an administrator. A user has a role in each of some accounts, or is an administrator of the installation. A token has at most the role of its user, and may have less ([users](../guide/users.md)).",
    table(
      ["Action", ...roles],
      ofRoles.map(({ name, role }) => [
        `\`${name}\``,
        ...roles.map((one) => (role === "anyone" || isAtLeast(one, role) ? YES : "")),
      ]),
    ),
    "`account.list` returns the accounts in which one has a role. An action on the installation as a whole, such as `user.list` or `audit.list` of all accounts, needs an administrator. What an owner cannot do to users who also work in another account, or who are administrators, is in [the guide](../guide/users.md#roles).",
    "## About oneself",
    "Every user may do these, whatever their role is; nobody can do them for somebody else.",
    sorted.flatMap(({ name, role }) => (role === "user" ? [`- \`${name}\``] : [])).join("\n"),
    "## API keys",
    "The API key of an integration is not a token. It can be used for the SOAP operations and `/api/v1/fields`, and for nothing in this table; a token can be used for neither.",
  );
}

export const referencePages: Readonly<Record<string, () => string>> = {
  "operations.md": operationsPage,
  "outcomes-and-faults.md": outcomesPage,
  "settings.md": settingsPage,
  "command-line.md": commandLinePage,
  "permissions.md": permissionsPage,
};
