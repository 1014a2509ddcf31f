/**
 * The rules of the WS-I Basic Profile 1.1 about messages, as far as an answer shows whether they are kept.
 * The profile is about SOAP 1.1. Its rules about descriptions are checked by .NET (mono/Conformance.cs).
 */
import { soap11 } from "#soap/version.ts";
import { all, parseXml, type XmlNode } from "../asmx/xml-tree.ts";

export interface SoapAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}
export interface Rule {
  readonly sentence: string;
  readonly isKept: (answer: SoapAnswer, envelope: XmlNode) => boolean;
  /** Breaks the rule in an answer that keeps it, so that the check is known to be able to fail. */
  readonly breakIt: (answer: SoapAnswer) => SoapAnswer;
}

const body = (envelope: XmlNode): XmlNode | undefined =>
  envelope.children.find(({ local }) => local === "Body");
const fault = (envelope: XmlNode): XmlNode | undefined =>
  body(envelope)?.children.find(({ uri, local }) => uri === soap11.namespace && local === "Fault");
const faultParts = (envelope: XmlNode): readonly XmlNode[] => fault(envelope)?.children ?? [];
const ours = (envelope: XmlNode): readonly XmlNode[] => [
  envelope,
  ...all(envelope, "Header"),
  ...all(envelope, "Body"),
];
const replace =
  (from: string | RegExp, to: string) =>
  (answer: SoapAnswer): SoapAnswer => ({
    ...answer,
    text: answer.text.replaceAll(from, to),
  });

export const rules: Readonly<Record<string, Rule>> = {
  R1000: {
    sentence: "a Fault has no other children than faultcode, faultstring, faultactor and detail",
    isKept: (_, envelope) =>
      faultParts(envelope).every(({ local }) => /^(faultcode|faultstring|faultactor|detail)$/.test(local)),
    breakIt: replace("faultstring>", "reason>"),
  },
  R1001: {
    sentence: "the children of a Fault are unqualified",
    isKept: (_, envelope) => faultParts(envelope).every(({ uri }) => uri === ""),
    breakIt: replace("faultstring>", "soap:faultstring>"),
  },
  R1004: {
    sentence: "a faultcode is one of SOAP 1.1",
    isKept: (_, envelope) =>
      faultParts(envelope)
        .filter(({ local }) => local === "faultcode")
        .every(({ text }) => /^soap:(VersionMismatch|MustUnderstand|Client|Server)$/.test(text)),
    breakIt: replace("soap:Client<", "Client<"),
  },
  R1005: {
    sentence: "no element of the envelope has an encodingStyle",
    isKept: ({ text }) => !text.includes("encodingStyle"),
    breakIt: replace("<soap:Body>", '<soap:Body soap:encodingStyle="">'),
  },
  R1008: {
    sentence: "there is no document type declaration",
    isKept: ({ text }) => !text.includes("<!DOCTYPE"),
    breakIt: replace("<soap:Envelope", "<!DOCTYPE x><soap:Envelope"),
  },
  R1009: {
    sentence: "there are no processing instructions",
    isKept: ({ text }) => !/<\?(?!xml )/.test(text),
    breakIt: replace("<soap:Body>", "<soap:Body><?x?>"),
  },
  R1011: {
    sentence: "no element follows the Body",
    isKept: (_, envelope) => envelope.children.at(-1)?.local === "Body",
    breakIt: replace("</soap:Body>", '</soap:Body><x xmlns="urn:x"/>'),
  },
  R1012: {
    sentence: "it is in UTF-8 or UTF-16, and says so",
    isKept: ({ text, contentType }) =>
      text.startsWith('<?xml version="1.0" encoding="utf-8"?>') && contentType === "text/xml; charset=utf-8",
    breakIt: replace('encoding="utf-8"', 'encoding="iso-8859-1"'),
  },
  R1014: {
    sentence: "the children of the Body are in a namespace",
    isKept: (_, envelope) => body(envelope)?.children.every(({ uri }) => uri !== "") ?? false,
    breakIt: replace("<soap:Body>", "<soap:Body><x/>"),
  },
  R1032: {
    sentence: "Envelope, Header and Body have no attributes in the namespace of SOAP",
    isKept: (_, envelope) =>
      ours(envelope).every(
        ({ attributes }) => !Object.keys(attributes).some((name) => name.startsWith("soap:")),
      ),
    breakIt: replace("<soap:Body>", '<soap:Body soap:actor="urn:x">'),
  },
  R1111: {
    sentence: "what is no Fault has the status 200",
    isKept: ({ status }, envelope) => fault(envelope) !== undefined || status === 200,
    breakIt: (answer) => ({ ...replace("soap:Fault>", "soap:x>")(answer), status: 202 }),
  },
  R1126: {
    sentence: "a Fault has the status 500",
    isKept: ({ status }, envelope) => fault(envelope) === undefined || status === 500,
    breakIt: (answer) => ({ ...answer, status: 200 }),
  },
};

/** The numbers of the rules that an answer breaks. */
export function broken(answer: SoapAnswer): readonly string[] {
  const envelope = parseXml(answer.text.replace("<!DOCTYPE x>", ""));
  return Object.entries(rules)
    .filter(([, { isKept }]) => !isKept(answer, envelope))
    .map(([number]) => number);
}
