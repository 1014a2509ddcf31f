/**
 * The variants of a client in the run: by which names of the WSDL it calls. Its program is written with the
 * operations' own names. By short names it is the same program with other names in its calls, as somebody
 * would have written it for the old service.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contract } from "#contract/operations.ts";
import type { Operation } from "#contract/service.ts";
import { type Client, clients } from "./clients.ts";

export interface Variant {
  readonly client: Client;
  /** What the run calls it. */
  readonly title: string;
  readonly isShort: boolean;
  /** The query at which the WSDL is. */
  readonly wsdl: string;
  /** Null for the program as it is. */
  readonly rewrite: ((program: string) => string) | null;
}

const shortNames = new Map(
  Object.entries<Operation>(contract.operations).map(([name, operation]) => [
    name,
    operation.shortNames[0]?.name ?? assert.fail(`${name} has no short name`),
  ]),
);
const written = (pair: (name: string, short: string) => string): string =>
  Array.from(shortNames, ([name, short]) => pair(name, short)).join("");

/** Fails where the program has no longer what is to be replaced. */
function replaced(program: string, from: string | RegExp, to: string): string {
  const changed = typeof from === "string" ? program.replaceAll(from, () => to) : program.replace(from, to);
  assert.notEqual(changed, program, `the program has no ${from}`);
  return changed;
}
/** The calls that are written out. */
const withCalls = (program: string, called: (name: string) => string): string =>
  [...shortNames].reduce(
    (text, [name, short]) => text.replaceAll(called(name), () => called(short)),
    program,
  );
const withShortPort = (program: string): string => replaced(program, "MailrollSoap", "MailrollShortSoap");

type Rewriting = (program: string, called: (name: string) => string) => string;

const table = `{${written((name, short) => `"${name}": "${short}", `)}}`;
const python: Rewriting = (program, called) =>
  `SHORT = ${table}\n${replaced(withShortPort(withCalls(program, called)), "service[operation](", "service[SHORT[operation]](")}`;

/** By the folder and the file of a program. */
const rewritings: Readonly<Record<string, Rewriting>> = {
  "php/client.php": (program, called) =>
    replaced(withCalls(program, called), "$client->$operation(", "$client->{SHORT[$operation]}(").replace(
      "<?php\n",
      () => `<?php\nconst SHORT = [${written((name, short) => `'${name}' => '${short}', `)}];\n`,
    ),
  "zeep/client.py": python,
  "suds/client.py": python,
  // One proxy has the operations of all ports. An operation's name is also in those of types.
  "gsoap/client.cpp": (program, called) =>
    written((name, short) => `#define SHORT_${called(name)} ${short}\n`) +
    replaced(
      withCalls(program, (name) => `api.${called(name)}(`),
      "api.OPERATION(",
      "api.SHORT_##OPERATION(",
    ),
  "mono/Client.cs": (program, called) => ofClass(withCalls(program, called), "MailrollShortSoap"),
  "jax-ws/Client.java": (program) =>
    replaced(program, /service\.get(Mailroll)(Soap\w*)\(\)/g, "ShortNames.over(service.get$1Short$2())") +
    readFileSync(join(import.meta.dirname, "jax-ws/ShortNames.java"), "utf8"),
  "node-soap/client.mjs": (program, called) =>
    `const SHORT = ${table};\n${replaced(
      withCalls(program, called),
      /client\[`\$\{operation\.replace\("\.", "_"\)\}Async`\]/g,
      "client[SHORT[operation] + 'Async']",
    )}`,
  // It wraps parameters in the message's element only where the operation has the name of that.
  "strong-soap/client.mjs": (program) =>
    replaced(
      replaced(withShortPort(program), "const port =", `const SHORT = ${table};\nconst shortPort =`),
      "// </connect>",
      "const port = new Proxy({}, { get: (_, name) => (given) => shortPort[SHORT[name]]({ [name]: given }) });",
    ),
};
/** Of a WSDL with two port types the tools of .NET make two classes, named after them. */
const ofClass = (program: string, name: string): string =>
  replaced(program, /\bMailroll\b(?= api| \{)/g, name);

/** Why a program is not tested by short names. Without a WSDL there is no choice of names. */
export const onlyOwnNames: Readonly<Record<string, string>> = {
  "soap-lite/client.pl":
    "It cannot call short names. SOAP::Lite uses the name that the program calls as the element of the message. Mailroll accepts only the operation's own name there.",
  "axis/Client.java":
    "Short names are not tested: the test program is generated from `?wsdl&names=dotted`. The plain `?wsdl` has two port types. For some addresses of the service, the code that Axis generates from it does not compile.",
};

const PLAIN = "?wsdl";

const variantsOf = (client: Client): readonly Variant[] => {
  const own = { client, title: client.name, isShort: false, wsdl: client.wsdl, rewrite: null };
  const rewriting = rewritings[`${client.folder}/${client.program}`];
  if (rewriting === undefined) return [own];
  const short = {
    ...own,
    title: `${client.name}, by short names`,
    isShort: true,
    wsdl: PLAIN,
    rewrite: (program: string) => rewriting(program, (name) => client.called(name)),
  };
  if (client.wsdl === PLAIN) return [own, short];
  const plain = {
    ...own,
    title: `${client.name}, of the plain WSDL`,
    wsdl: PLAIN,
    rewrite: (program: string) => ofClass(program, "MailrollSoap"),
  };
  return [own, plain, short];
};

export const variants: readonly Variant[] = clients.flatMap(variantsOf);
export const variantOf = (client: Client, isShort: boolean): Variant | undefined =>
  variants.find((variant) => variant.client === client && variant.isShort === isShort);
