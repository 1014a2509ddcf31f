/**
 * Inputs that are expensive for parsers, of a megabyte and more, and their cost: CPU time and the longest
 * event loop delay.
 */
import { number, table } from "../reliability-page.ts";
import { complaint } from "./answers.ts";
import type { Target } from "./envelope.ts";
import type { Program } from "./program.ts";
import { send } from "./wire.ts";

const MIB = 1024 ** 2;
const SIZE = 2 * MIB;
const TIMES = 3;
const SHOWN = 6;

type Repeat = (unit: string) => string;

/** XML among the parameters. */
const shapes: Readonly<Record<string, (repeat: Repeat) => string>> = {
  "plain text in one value": (repeat) => `<FirstName>${repeat("x")}</FirstName>`,
  "unknown elements": (repeat) => repeat("<a/>"),
  "unknown elements with text": (repeat) => repeat("<a>b</a>"),
  "records of an array": (repeat) =>
    `<CustomsFields>${repeat("<customField><Customfieldid>1</Customfieldid><Value>x</Value></customField>")}</CustomsFields>`,
  "empty records of an array": (repeat) => `<CustomsFields>${repeat("<customField/>")}</CustomsFields>`,
  "values that cannot be read": (repeat) =>
    `<CustomsFields>${repeat("<customField><Customfieldid>x</Customfieldid></customField>")}</CustomsFields>`,
  "one parameter again and again": (repeat) => repeat("<FirstName>x</FirstName>"),
  "a value in many parts": (repeat) => `<FirstName>${repeat("a<!---->")}</FirstName>`,
  "deep elements with a prefix from far above": (repeat) => deep(repeat("<p:a/>")),
  "deep elements with attributes": (repeat) => deep(repeat("<a p:a='' p:b='' p:c='' p:d=''/>")),
  "elements of 64 attributes": (repeat) =>
    repeat(`<a ${Array.from({ length: 64 }, (_, n) => `a${n}=''`).join(" ")}/>`),
  "a new prefix in each element": (repeat) => repeat("<a xmlns:q='urn:q' xmlns:r='urn:r' xmlns:s='urn:s'/>"),
  "a default namespace in each element": (repeat) => repeat("<a xmlns='urn:q'/>"),
  references: (repeat) => repeat(`<a>${"&amp;&#38;".repeat(500)}</a>`),
  "references in attributes": (repeat) => repeat(`<a b='${"&lt;&#60;".repeat(100)}'/>`),
  "characters in halves": (repeat) => repeat(`<a>${"&#xD83D;&#xDE00;".repeat(500)}</a>`),
  "line ends": (repeat) => repeat(`<a>${"\r\n\r".repeat(500)}</a>`),
  "comments and instructions": (repeat) => repeat("<!-- - --><?p ?>"),
  "CDATA sections": (repeat) => repeat("<a><![CDATA[]]]]><![CDATA[>]]></a>"),
  "elements that never close": (repeat) => repeat("<a>"),
};
const deep = (inner: string): string =>
  `<p:a xmlns:p="urn:p">${"<a>".repeat(55)}${inner}${"</a>".repeat(55)}</p:a>`;

export interface Cost {
  readonly shape: string;
  readonly cpuMsPerMib: number;
  readonly longestTurnMs: number;
}

/** The most expensive first. Throws if a response is invalid. */
export async function costs(program: Program, { namespace, key }: Target): Promise<readonly Cost[]> {
  const found: Cost[] = [];
  for (const [shape, make] of Object.entries(shapes)) {
    const inner = make((unit) => unit.repeat(Math.ceil(SIZE / unit.length)));
    const operation = "Subscriber.AddwithBasicandCustoms";
    const text = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="${namespace}"><APIKey>${key}</APIKey>${inner}</${operation}></e:Body></e:Envelope>`;
    const body = Buffer.from(text);
    const cpu: number[] = [];
    const turns: number[] = [];
    // The first run is a warm-up for the compiler.
    for (let time = 0; time <= TIMES; time += 1) {
      const before = await program.look();
      await sendOnce(program.port, shape, body);
      const after = await program.look();
      cpu.push(after.cpuMs - before.cpuMs);
      turns.push(after.longestTurnMs);
    }
    found.push({
      shape,
      cpuMsPerMib: Math.min(...cpu.slice(1)) / (body.length / MIB),
      longestTurnMs: Math.max(...turns.slice(1)),
    });
  }
  return found.toSorted((one, other) => other.cpuMsPerMib - one.cpuMsPerMib);
}

async function sendOnce(port: number, shape: string, body: Buffer): Promise<void> {
  const headers = [["Content-Type", "text/xml; charset=utf-8"]] as const;
  const given = { method: "POST", path: "/default.asmx", headers, body, raw: null, kind: shape };
  const [answer] = await send(port, { ...given, answers: [1, 1], version: null });
  const wrong = answer === undefined ? "no answer" : complaint(answer, { method: "POST", version: null });
  if (wrong !== null) throw new Error(`${shape}: ${wrong}`);
}

export function costTable(found: readonly Cost[]): string {
  const longest = found.toSorted((one, other) => other.longestTurnMs - one.longestTurnMs)[0];
  const shown = new Set(longest === undefined ? [] : [...found.slice(0, SHOWN), longest]);
  const rows = [...shown].map(({ shape, cpuMsPerMib, longestTurnMs }) => [
    shape,
    number(cpuMsPerMib),
    number(longestTurnMs, 1),
  ]);
  return table(
    [
      "Messages of 2 MiB",
      "Processor time, ms per MiB",
      "Longest iteration of the event loop, ms of processor time",
    ],
    rows,
  );
}
