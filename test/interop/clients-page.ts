/** The page of docs/reference that says what was found: client × version × operation, as the run went. */
import { contract } from "../../src/contract/operations.ts";
import { wrapMarkdown } from "../markdown.ts";
import { type Client, clients, type Version } from "./clients.ts";
import { onlyOwnNames, type Variant, variantOf } from "./names.ts";
import { type OperationName, type Step, steps } from "./scenario.ts";

/** The steps that a client went through as expected. */
export type Passed = ReadonlyMap<Variant, ReadonlyMap<Version, readonly Step[]>>;

export const operationNames = Object.keys(contract.operations) as OperationName[];
const versions = ["1.1", "1.2"] as const;

const table = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...rest] = rows;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [head, head.map(() => "---"), ...rest].map(line).join("\n");
};
const code = (text: string): string => `\`${text.replace(/\s+/g, " ").trim()}\``;

export function clientsPage(passed: Passed): string {
  const parts = [
    "# Clients",
    `Written by \`npm run test:interop\`, which takes each client through ${steps.length} steps over all ${operationNames.length} operations against the running program (\`UPDATE_GOLDEN=1 npm run test:interop\` renews it).`,
    "The number in a column is that of the steps that went as expected in that version of SOAP: success, refusals, faults, lists of none, one, several and 5,000 records, the id 9007199254740993, names with accents, markup and emoji.",
    "Under *By short names* is the number of steps of the same program with the short names in its calls, over SOAP 1.1 and the plain WSDL.",
    table([
      ["Client", "From", "SOAP 1.1", "SOAP 1.2", "By short names", "A fault is"],
      ...clients.map((client) => [
        client.name,
        client.install,
        ...versions.map((version) => countOf(passed, client, version)),
        shortCount(passed, client),
        code(client.fault.type),
      ]),
    ]),
    ...clients.flatMap((client) => section(passed, client)),
  ];
  return wrapMarkdown(`${parts.join("\n\n")}\n`);
}

function shortCount(passed: Passed, client: Client): string {
  const short = variantOf(client, true);
  return short === undefined ? "–" : String(passed.get(short)?.get("1.1")?.length);
}

function countOf(passed: Passed, client: Client, version: Version, operation?: OperationName): string {
  const own = variantOf(client, false);
  const went = own && passed.get(own)?.get(version);
  if (went === undefined) return "–";
  return String(went.filter((step) => operation === undefined || step.operation === operation).length);
}

function section(passed: Passed, client: Client): readonly string[] {
  const noShortNames = onlyOwnNames[`${client.folder}/${client.program}`];
  const limits = [
    ...(client.otherVersion === null ? [] : [`${client.otherVersion}.`]),
    ...Object.entries(client.cannotSend).map(([oddity, why]) => `It cannot send ${oddity}: ${why}.`),
    ...(noShortNames === undefined ? [] : [noShortNames]),
  ];
  return [
    `## ${client.name}`,
    `[How to use it](../guide/clients/${client.guide}). The program: \`test/interop/${client.folder}/${client.program}\`. A fault is ${code(client.fault.type)}; its code is in ${code(client.fault.code)}.`,
    ...(limits.length === 0 ? [] : [limits.join(" ").replace(/^./, (first) => first.toUpperCase())]),
    table([
      ["Operation", "Called as", ...versions.map((version) => `SOAP ${version}`)],
      ...operationNames.map((operation) => [
        code(operation),
        code(client.called(operation).replace(/[(,]?\s*$/, "")),
        ...versions.map((version) => countOf(passed, client, version, operation)),
      ]),
    ]),
  ];
}
