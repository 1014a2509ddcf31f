/**
 * Fault messages: SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4. The code in the detail is for programs, the text for
 * people.
 */
import type { Fault } from "#contract/faults.ts";
import { type SoapVersion, soap11, soap12 } from "../version.ts";
import { escapeAttribute, escapeText } from "./escape.ts";

const codes = {
  client: { "1.1": "Client", "1.2": "Sender" },
  server: { "1.1": "Server", "1.2": "Receiver" },
  version: { "1.1": "VersionMismatch", "1.2": "VersionMismatch" },
  mustUnderstand: { "1.1": "MustUnderstand", "1.2": "MustUnderstand" },
} as const;

/** A header that must be understood and is not; SOAP 1.2 names it in a header of the fault. */
export interface NotUnderstood {
  readonly namespace: string;
  readonly local: string;
}

/** SOAP 1.2 Part 1 §5.4.7: the supported envelopes, the preferred one first. */
const upgrade = `<soap:Header><soap12:Upgrade xmlns:soap12="${soap12.namespace}"><soap12:SupportedEnvelope qname="soap12:Envelope" /><soap12:SupportedEnvelope qname="soap:Envelope" /></soap12:Upgrade></soap:Header>`;

export function faultMessage(
  version: SoapVersion,
  namespace: string,
  fault: Fault,
  notUnderstood: NotUnderstood | null = null,
): string {
  const p = version.prefix;
  const code = `${p}:${codes[fault.kind.blame][version.name]}`;
  const text = escapeText(fault.message);
  const error = `<error xmlns="${escapeAttribute(namespace)}"><code>${fault.code}</code></error>`;
  const body =
    version === soap11
      ? `<faultcode>${code}</faultcode><faultstring>${text}</faultstring><detail>${error}</detail>`
      : `<${p}:Code><${p}:Value>${code}</${p}:Value></${p}:Code><${p}:Reason><${p}:Text xml:lang="en">${text}</${p}:Text></${p}:Reason><${p}:Detail>${error}</${p}:Detail>`;
  return `${version.envelopeStart}${header(version, fault, notUnderstood)}<${p}:Body><${p}:Fault>${body}</${p}:Fault>${version.end}`;
}

function header(version: SoapVersion, fault: Fault, notUnderstood: NotUnderstood | null): string {
  if (fault.code === "VersionMismatch") return upgrade;
  if (notUnderstood === null || version !== soap12) return "";
  const { namespace, local } = notUnderstood;
  // A prefix cannot be bound to the empty namespace.
  const name =
    namespace === "" ? `qname="${local}"` : `qname="n:${local}" xmlns:n="${escapeAttribute(namespace)}"`;
  return `<soap12:Header><soap12:NotUnderstood ${name} /></soap12:Header>`;
}
