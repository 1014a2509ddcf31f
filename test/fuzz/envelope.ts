/**
 * Generates SOAP messages from the contract: mostly valid, with everything that real and hostile clients
 * send.
 */
import { contract } from "#contract/operations.ts";
import type { Fields, XsdType } from "#contract/xsd.ts";
import { escapeText } from "#soap/reply/escape.ts";
import { soap11, soap12 } from "#soap/version.ts";
import { hostileText } from "./hostile-text.ts";
import type { Random } from "./random.ts";

export interface Target {
  readonly namespace: string;
  readonly key: string;
}
export interface Made {
  readonly text: string;
  /** The version of the envelope, if nothing but its values is unusual. */
  readonly version: "1.1" | "1.2" | null;
}

const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const numbers = [
  "1",
  "0",
  "-1",
  "2147483647",
  "2147483648",
  "-2147483649",
  "9223372036854775807",
  "9223372036854775808",
  "9".repeat(400),
  "9".repeat(5000),
  "1e9",
  "0x10",
  "1.0",
  "+1",
  " 1 ",
  "١",
  "NaN",
  "INF",
];
const dates = [
  "2001-02-29",
  "1999-12-31T23:59:59.9999999Z",
  "0000-00-00",
  "9999-12-31T24:00:00",
  "2020-01-01T00:00:00+14:01",
  "-2020-01-01",
  "12:00:00",
  "20200101",
];

export function envelope(random: Random, target: Target): Made {
  const version = random.pick([soap11, soap12]);
  const entries = Object.entries(contract.operations);
  const [name, { params }] = random.pick(entries);
  const odd = random.oneIn(6) ? random.pick(oddities) : null;
  const inner = fields(random, params, target);
  const operation = random.oneIn(40) ? random.pick(["Nope", `${name}x`, name.toLowerCase(), "a.b"]) : name;
  const namespace = random.oneIn(40) ? random.pick(["urn:x", "", `${target.namespace}/`]) : target.namespace;
  const body = `<${operation} xmlns="${escapeText(namespace)}">${inner}${odd?.inside(random) ?? ""}</${operation}>`;
  const e = random.pick(["soap", "SOAP-ENV", "e", "_", "é"]);
  const root = random.oneIn(60) ? "urn:no-such-envelope" : version.namespace;
  const text = `${declaration(random)}<${e}:Envelope xmlns:${e}="${root}" xmlns:xsi="${XSI}">${header(random, e)}<${e}:Body>${random.oneIn(50) ? "" : body}${random.oneIn(60) ? body : ""}</${e}:Body></${e}:Envelope>`;
  const isKnown = root === version.namespace && odd === null;
  return { text: odd?.around(text) ?? text, version: isKnown ? version.name : null };
}

function declaration(random: Random): string {
  if (random.oneIn(2)) return "";
  return random.pick([
    '<?xml version="1.0" encoding="utf-8"?>',
    '<?xml version="1.0"?>\r\n',
    "<?xml version='1.1' standalone='no' ?>\n",
    '<?xml version="1.0" encoding="utf-8"?><!-- c --><?p i?>\n',
  ]);
}

function header(random: Random, e: string): string {
  if (!random.oneIn(4)) return "";
  return random.pick([
    `<${e}:Header/>`,
    `<${e}:Header>  </${e}:Header>`,
    `<${e}:Header><a:Action xmlns:a="http://www.w3.org/2005/08/addressing" ${e}:mustUnderstand="1">x</a:Action></${e}:Header>`,
    `<${e}:Header><h:H xmlns:h="urn:h" ${e}:mustUnderstand="${random.pick(["1", "0", "true", "x", ""])}"/></${e}:Header>`,
    `<${e}:Header><h:H xmlns:h="urn:${"h".repeat(random.below(1000))}" ${e}:mustUnderstand="1" ${e}:actor="urn:a"/></${e}:Header>`,
  ]);
}

function fields(random: Random, declared: Fields, target: Target): string {
  const written = Object.entries(declared).flatMap(([name, type]) => {
    if (name === "APIKey") return [`<APIKey>${random.oneIn(8) ? hostile(random) : target.key}</APIKey>`];
    if (random.oneIn(12)) return [];
    const one = element(random, name, type, target);
    return random.oneIn(20) ? [one, one] : [one];
  });
  if (random.oneIn(10)) written.reverse();
  return written.join(random.pick(["", "\n  ", "<!-- -->"]));
}

function element(random: Random, name: string, type: XsdType, target: Target): string {
  if (random.oneIn(20)) return `<${name} xsi:nil="${random.pick(["true", "1", "false", "x"])}"/>`;
  if (random.oneIn(20)) return `<${name}/>`;
  if (random.oneIn(40)) return `<x:${name} xmlns:x="urn:x">1</x:${name}>`;
  return `<${name}>${value(random, name, type, target)}</${name}>`;
}

function value(random: Random, name: string, type: XsdType, target: Target): string {
  switch (type.kind) {
    case "array":
      return random.many(5, () => element(random, type.item.name, type.item, target)).join("");
    case "sequence":
      return fields(random, type.fields, target);
    case "enum":
      return random.oneIn(4) ? hostile(random) : escapeText(random.pick(type.values));
    case "scalar":
      if (random.oneIn(15)) return hostile(random);
      if (type.xsd === "dateTime") return random.oneIn(3) ? random.pick(dates) : "1980-02-29";
      if (type.xsd !== "string") return random.oneIn(3) ? random.pick(numbers) : "1";
      if (name === "EMail" && !random.oneIn(3)) return `fuzz${random.below(5000)}@example.org`;
      return hostile(random);
    default:
      return type satisfies never;
  }
}

function hostile(random: Random): string {
  const text = random.pick(hostileText);
  if (random.oneIn(30)) return escapeText(text.repeat(random.below(200)));
  if (random.oneIn(5)) return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
  if (random.oneIn(5)) return [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join("");
  return escapeText(text);
}

/** XML that is hard on parsers: inside an operation, and around the envelope. */
interface Oddity {
  readonly inside: (random: Random) => string;
  readonly around: (text: string) => string;
}
const inside = (make: (random: Random) => string): Oddity => ({ inside: make, around: (text) => text });
const around = (make: (text: string) => string): Oddity => ({ inside: () => "", around: make });
const afterDeclaration = (text: string, insert: string): string =>
  text.startsWith("<?xml") ? text.replace(/\?>/, () => `?>${insert}`) : insert + text;

const oddities: readonly Oddity[] = [
  inside((random) => {
    const depth = random.pick([10, 59, 60, 61, 62, 65, 500, 20_000]);
    return `${"<d>".repeat(depth)}${"</d>".repeat(depth)}`;
  }),
  inside((random) => {
    const count = random.pick([1, 63, 64, 65, 2000]);
    return `<a ${Array.from({ length: count }, (_, index) => `a${index}="&lt;"`).join(" ")}/>`;
  }),
  inside((random) => {
    const count = random.pick([1, 63, 64, 65, 1000]);
    return `<a ${Array.from({ length: count }, (_, index) => `xmlns:n${index}="urn:${index}"`).join(" ")}/>`;
  }),
  inside((random) => `<${"n".repeat(random.pick([1, 1023, 1024, 1025, 70_000]))}/>`),
  inside((random) => `<a ${"n".repeat(random.pick([1023, 1024, 1025, 70_000]))}=""/>`),
  inside((random) => `<a xmlns:q="${"u".repeat(random.pick([1023, 1024, 1025, 70_000]))}" q:b=""/>`),
  inside((random) => `<a b="${random.pick(["\n", "x", "&#10;", "&amp;"]).repeat(random.below(30_000))}"/>`),
  inside((random) => "<![CDATA[<![CDATA[]]>".repeat(random.below(50))),
  inside((random) => `<?p ${"?".repeat(random.below(2000))} ?>`),
  inside((random) => `<!--${"- ".repeat(random.below(2000))}-->`),
  inside((random) => "&#xD83D;&#xDE00;".repeat(random.below(50))),
  inside((random) =>
    random.pick(["&#xD83D;", "&#0;", "&#1;", "&#xFFFE;", "&#x110000;", "&#99999999999;", "&nbsp;"]),
  ),
  inside((random) =>
    random.pick(["<a a='1' a='2'/>", "<a b=c/>", "<p:a/>", "<a:b:c/>", "<xmlns:a/>", "<a xmlns:xml='u'/>"]),
  ),
  inside((random) => random.pick(["\u0000", "\u0001", "\ufffe", "\uffff", "\u007f", "\u0085"])),
  inside((random) => `<x>${random.pick(["a", "&amp;", "\r\n", "<y/>"]).repeat(random.below(40_000))}</x>`),
  around((text) => afterDeclaration(text, "<!DOCTYPE x>")),
  around((text) => afterDeclaration(text, '<!DOCTYPE x SYSTEM "file:///etc/passwd">')),
  around((text) =>
    afterDeclaration(text, '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:1/x">]>').replace(
      "</APIKey>",
      "&e;</APIKey>",
    ),
  ),
  around((text) =>
    afterDeclaration(
      text,
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i} "${`&a${i || ""};`.repeat(10)}">`).join("")}]>`,
    ).replace("</APIKey>", "&a8;</APIKey>"),
  ),
  around((text) => ` ${text}`),
  around((text) => `${text}<!-- after -->\n`),
  around((text) => `${text}${text}`),
  around((text) => `\ufeff\ufeff${text}`),
  around((text) => text.replace("Envelope", "envelope")),
  around((text) => `<?xml version="1.0" encoding="${"x".repeat(300)}"?>${text}`),
  around(() => ""),
  around(() => '{"json": true}'),
];
