/** Faults as a case writes them – a code, the name of a text, its words – and as they come over the wire. */
import { faultTexts } from "../fault-texts.ts";
import { escapeText, prefixOf, type Version } from "./soap.ts";

/** The code and the name of every text. */
export const faultTextNames: readonly (readonly [code: string, name: string])[] = Object.entries(
  faultTexts,
).flatMap(([code, named]) => Object.keys(named).map((name) => [code, name] as const));

/** What a case says about a fault: a code, the name of a text, and what stands for each `{}` of it. */
export interface FaultWords {
  readonly code: string;
  readonly name: string;
  readonly holes: readonly string[];
}

export function faultText({ code, name, holes }: FaultWords): string {
  const text = faultTexts[code]?.[name];
  if (text === undefined)
    throw new Error(
      `fault-texts.ts has no text "${name}" of ${code}. It has: ${Object.keys(faultTexts[code] ?? {}).join(", ")}`,
    );
  const pieces = text.split("{}");
  if (pieces.length !== holes.length + 1)
    throw new Error(`the text "${name}" of ${code} takes ${pieces.length - 1} words between bars: ${text}`);
  return pieces.map((piece, index) => piece + (holes[index] ?? "")).join("");
}

/** The words for a text; null where fault-texts.ts has none for it. */
export function findFaultWords(code: string, text: string): FaultWords | null {
  for (const [name, pattern] of Object.entries(faultTexts[code] ?? {})) {
    const match = new RegExp(
      `^${pattern
        .split("{}")
        .map((piece) => RegExp.escape(piece))
        .join("(.*?)")}$`,
      "s",
    ).exec(text);
    if (match !== null) return { code, name, holes: match.slice(1) };
  }
  return null;
}

/** The fault's `faultcode` in SOAP 1.1 and `Value` in SOAP 1.2. */
const blames: Readonly<Record<string, readonly [string, string]>> = {
  VersionMismatch: ["VersionMismatch", "VersionMismatch"],
  MustUnderstand: ["MustUnderstand", "MustUnderstand"],
  Throttled: ["Server", "Receiver"],
  Unavailable: ["Server", "Receiver"],
  InternalError: ["Server", "Receiver"],
};
const CALLER = ["Client", "Sender"] as const;

export function faultElement(version: Version, code: string, text: string, namespace: string): string {
  const [blame11, blame12] = blames[code] ?? CALLER;
  const prefix = prefixOf(version);
  const error = `<error xmlns="${escapeText(namespace)}"><code>${code}</code></error>`;
  const words = escapeText(text);
  return version === "1.1"
    ? `<soap:Fault><faultcode>soap:${blame11}</faultcode><faultstring>${words}</faultstring><detail>${error}</detail></soap:Fault>`
    : `<${prefix}:Fault><${prefix}:Code><${prefix}:Value>${prefix}:${blame12}</${prefix}:Value></${prefix}:Code><${prefix}:Reason><${prefix}:Text xml:lang="en">${words}</${prefix}:Text></${prefix}:Reason><${prefix}:Detail>${error}</${prefix}:Detail></${prefix}:Fault>`;
}

/** What SOAP wants in the Header beside these faults. */
export function faultHeader(version: Version, { code, holes: [name, namespace] }: FaultWords): string {
  if (code === "VersionMismatch")
    return '<soap12:Upgrade xmlns:soap12="http://www.w3.org/2003/05/soap-envelope"><soap12:SupportedEnvelope qname="soap12:Envelope" /><soap12:SupportedEnvelope qname="soap:Envelope" /></soap12:Upgrade>';
  if (code === "MustUnderstand" && version === "1.2")
    return `<soap12:NotUnderstood qname="n:${name}" xmlns:n="${namespace}" />`;
  return "";
}
