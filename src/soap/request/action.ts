/**
 * Checks SOAPAction (1.1) and the action parameter (1.2). The Body decides which operation runs; an action
 * can only contradict it.
 */
import { Fault } from "#contract/faults.ts";
import { memoize } from "../memoize.ts";
import { type SoapVersion, soap11 } from "../version.ts";
import type { Namespaces } from "./document-reader.ts";

/** Quotes are optional. */
const unquoted = (action: string): string =>
  action
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();

/** Some clients percent-encode. */
function decoded(action: string): string {
  if (!action.includes("%")) return action;
  try {
    return decodeURIComponent(action);
  } catch {
    return action;
  }
}

interface Action {
  readonly written: string;
  readonly namespace: string;
  readonly named: string;
}
function parse(action: string): Action {
  const written = unquoted(action);
  const given = decoded(written);
  // PHP without a WSDL sends "#" where other clients send a slash.
  const slash = Math.max(given.lastIndexOf("/"), given.lastIndexOf("#"));
  return { written, namespace: given.slice(0, Math.max(slash, 0)), named: given.slice(slash + 1) };
}
const parseAction = memoize(parse);

export function checkAction(
  action: string | null,
  version: SoapVersion,
  operation: string,
  namespaces: Namespaces,
  operations: { has(name: string): boolean },
): void {
  if (action === null) return;
  const { written, namespace, named } = parseAction(action);
  if (written === "") return;
  if (namespace !== "" && operations.has(named) && namespaces.accepts(namespace)) {
    if (named === operation) return;
    throw mismatch(
      `The action names ${named}, but the Body holds ${operation}. Make them agree, or leave the action out.`,
    );
  }
  if (version === soap11)
    throw mismatch(
      `There is no action "${written.slice(0, 200)}". Use "${namespaces.expected}/${operation}", or leave SOAPAction empty.`,
    );
}

const mismatch = (text: string): Fault => new Fault("ActionMismatch", text);
