/**
 * What SOAPAction (1.1) and the action parameter (1.2) may say. The Body decides which operation runs; an action
 * can only contradict it.
 */
import { Fault } from "../contract/faults.ts";
import type { Namespaces } from "./request-reader.ts";
import { type SoapVersion, soap11 } from "./version.ts";

/** Quotes are optional, and some clients percent-encode. */
function bare(action: string): string {
  const unquoted = action
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
  if (!unquoted.includes("%")) return unquoted;
  try {
    return decodeURIComponent(unquoted);
  } catch {
    return unquoted;
  }
}

export function checkAction(
  action: string | null,
  version: SoapVersion,
  operation: string,
  namespaces: Namespaces,
  isOperation: (name: string) => boolean,
): void {
  if (action === null) return;
  const given = bare(action);
  if (given === "") return;
  const slash = given.lastIndexOf("/");
  const namespace = given.slice(0, Math.max(slash, 0));
  const named = given.slice(slash + 1);
  if (slash > 0 && isOperation(named) && namespaces.accepts(namespace)) {
    if (named === operation) return;
    throw mismatch(
      `The action names ${named}, but the Body holds ${operation}. Make them agree, or leave the action out.`,
    );
  }
  if (version === soap11)
    throw mismatch(
      `There is no action "${given.slice(0, 200)}". Use "${namespaces.expected}/${operation}", or leave SOAPAction empty.`,
    );
}

const mismatch = (text: string): Fault => new Fault("ActionMismatch", text);
