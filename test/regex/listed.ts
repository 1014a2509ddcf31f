/**
 * The regular expressions of `src/` that the checker cannot prove to be linear, each with what keeps it
 * harmless. `regex.suite.ts` measures what the bounded ones cost at their bound. Making an expression linear
 * is better than an entry here.
 */
export interface Listed {
  /** As in the code; "…" at the end stands for the rest of a long one. */
  readonly pattern: string;
  readonly file: string;
}

/** The length of the text that it is matched against has a bound, and the cost at this bound is small. */
export interface Bounded extends Listed {
  /** In characters. */
  readonly most: number;
  /** What enforces it. */
  readonly by: string;
  /** A beginning and a piece that is repeated behind it; every printable character is tried besides. */
  readonly attacks: readonly (readonly [start: string, piece: string])[];
}

const ofHeader = { most: 1024, by: "limitHeaders in http/server.ts" };
const ofReply = { most: 500, by: "cleanText in delivery/smtp/reply.ts" };
const ofLine = { most: 8192, by: "MAX_LINE in delivery/smtp/reply.ts" };

export const bounded: readonly Bounded[] = [
  {
    pattern: String.raw`/\d+\.\d+\.\d+\.\d+$/`,
    file: "src/http/client-address.ts",
    ...{ most: 45, by: "only an IPv6 address without zone gets there", attacks: [["", "1."]] },
  },
  {
    pattern: "/^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/",
    file: "src/app/calls/call.ts",
    ...ofHeader,
    attacks: [["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-", "-"]],
  },
  {
    pattern: String.raw`/^\d+(?=\/|$)/`,
    file: "src/console/kit/serve/page-contexts.ts",
    ...{ most: 16 * 1024, by: "Node refuses a longer request line", attacks: [["", "1"]] },
  },
  {
    pattern: String.raw`/^<\?xml(?=[ \t\r\n])[^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']/`,
    file: "src/soap/request/encoding.ts",
    ...{ most: 300, by: "markedOrDeclared decodes the first 300 bytes" },
    attacks: [
      ["<?xml ", " encoding"],
      ["<?xml ", " encoding="],
      ["<?xml encoding", " "],
    ],
  },
  {
    pattern: "/^(?:(?:ibm|cp|x-cp|windows)…",
    file: "src/soap/request/encoding.ts",
    ...ofHeader,
    attacks: [
      ["", "-utf"],
      ["", "-ucs"],
      ["ibm", "0"],
      ["ibm0", "367"],
    ],
  },
  {
    pattern: String.raw`/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/`,
    file: "src/domain/address.ts",
    ...{
      most: 253,
      by: "parseDomain",
      attacks: [
        ["", "a."],
        ["", "a-"],
        ["", "a"],
      ],
    },
  },
  {
    pattern: String.raw`/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/`,
    file: "src/domain/sending/sender-rules.ts",
    ...{
      most: 253,
      by: "checkSelector",
      attacks: [
        ["", "a."],
        ["", "a_"],
        ["", "a"],
      ],
    },
  },
  {
    pattern: String.raw`/[^\p{L}\p{N}]+$/u`,
    file: "src/domain/find-address.ts",
    ...{ most: 254, by: "LONGEST in names", attacks: [["", "-"]] },
  },
  {
    pattern: String.raw`/^(?:[a-z0-9.\u3002-]|(?!\p{P})[\u0080-\u{10ffff}])+/iu`,
    file: "src/domain/find-address.ts",
    ...{ most: 254, by: "LONGEST in names", attacks: [["", "é"]] },
  },
  {
    pattern: String.raw`/^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/`,
    file: "src/domain/field/custom-value.ts",
    ...{
      most: 1000,
      by: "MAX_TEXT_LENGTH in number",
      attacks: [
        ["", "1"],
        [".", "1"],
      ],
    },
  },
  {
    pattern: String.raw`/^0+(?=\d)/`,
    file: "src/domain/field/custom-value.ts",
    ...{ most: 1000, by: "MAX_TEXT_LENGTH in number", attacks: [["", "0"]] },
  },
  {
    pattern: String.raw`/^(?<quote>["'])(?<text>.*)\k<quote>$/su`,
    file: "src/transfer/values/mailbox.ts",
    ...{ most: 1000, by: "MAX_LENGTH in bareAddress", attacks: [['"', "a"]] },
  },
  {
    pattern: String.raw`/"(?:[^"\\]|\\.)*"/gsu`,
    file: "src/transfer/values/mailbox.ts",
    ...{
      most: 1000,
      by: "MAX_LENGTH in bareAddress",
      attacks: [
        ["", String.raw`\"`],
        ['"', "\\"],
      ],
    },
  },
  {
    pattern: "/[<>]|@.*[,;]/s",
    file: "src/transfer/values/mailbox.ts",
    ...{ most: 1000, by: "MAX_LENGTH in bareAddress", attacks: [["", "@"]] },
  },
  {
    pattern: "/0+Z$/",
    file: "src/contract/xsd.ts",
    ...{ most: 27, by: "the longest that Date.toISOString returns", attacks: [["", "0"]] },
  },
  {
    pattern: String.raw`/[^\s/:;,()]+$/`,
    file: "src/app/log/log.ts",
    ...{ most: 100, by: "MAX_LOGGED in plainWords", attacks: [["", "a"]] },
  },
  {
    pattern: String.raw`/<?(?:"[^"]*"|[^\s<>"(),:;[\]@]+)@(?:\[[^\]\s]*\]|[^\s<>"(),:;[\]@]*[\p{L}\p{N}])>?/gu`,
    file: "src/domain/sending/smtp-reply.ts",
    ...ofReply,
    attacks: [
      ["", "a@["],
      ["", '"'],
      ["", "a"],
      ["", "@a"],
      ["a@", "."],
    ],
  },
  {
    pattern: String.raw`/\byour (?:\w+ ){0,2}account\b.{0,30}\b(?:suspended|disabled|deactivated|blocked|locked|closed|inactive|terminated)\b/i`,
    file: "src/domain/sending/smtp-reply.ts",
    ...ofReply,
    attacks: [
      ["", "your a a account "],
      ["", "your account "],
      ["your ", "a"],
    ],
  },
  {
    pattern: String.raw`/\b(?:user|mailbox|recipient|address(?:ee)?|account|e-?mail|person)\b.{0,80}…`,
    file: "src/domain/sending/smtp-reply.ts",
    ...ofReply,
    attacks: [
      ["", "user "],
      ["", "unknown user "],
      ["", "user not exist "],
      ["user not exist", "a"],
    ],
  },
  {
    pattern: String.raw`/\btoo many (?:(?:concurrent|simultaneous|parallel|smtp|open|new) ){0,2}…`,
    file: "src/domain/sending/smtp-reply.ts",
    ...ofReply,
    attacks: [
      ["", "too many smtp open "],
      ["", "message rate "],
      ["", "exceeded "],
      ["sending ", "a "],
      ["sending rate", "a"],
    ],
  },
  {
    pattern: String.raw`/\b(?:sending|daily|hourly|message) (?:\w+ ){0,2}(?:limit|quota)\b.{0,20}…`,
    file: "src/domain/sending/smtp-reply.ts",
    ...ofReply,
    attacks: [
      ["", "daily a a limit "],
      ["", "reached daily "],
      ["daily ", "a"],
      ["", "daily "],
    ],
  },
  {
    pattern: String.raw`/^(\d{3}(?:[ -][245]\.\d{1,3}\.\d{1,3}(?=\s|$)|(?=[\s-]|$))[ -]?)?(.*)$/s`,
    file: "src/delivery/smtp/reply.ts",
    ...ofLine,
    attacks: [["250 ", "a"]],
  },
];

/** The text is written in this repository, or by Node. */
interface OverOwnText extends Listed {
  readonly text: string;
}
export const overOwnText: readonly OverOwnText[] = [
  {
    pattern: String.raw`/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*|\s+)/gm`,
    file: "src/html/assets.ts",
    text: "our scripts",
  },
  { pattern: String.raw`/\/\*[\s\S]*?\*\//g`, file: "src/html/assets.ts", text: "our stylesheets" },
  {
    pattern: String.raw`/(?<![\w/.-])mailroll(?=\s+(?:account|audit|…`,
    file: "src/shipped.ts",
    text: "our messages; only white space is repeated, so it is linear over names in them, too",
  },
  {
    pattern: String.raw`/\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+(?: AS \w+)?\s+SET\b/`,
    file: "src/store/postgres/sessions/connection.ts",
    text: "our SQL, in which values are parameters",
  },
  {
    pattern: "/^Option '.*(--[^ ']+).*' argument is ambiguous$/",
    file: "src/cli/kit/parse-call.ts",
    text: "Node's sentence about an option that we declare",
  },
  {
    pattern: String.raw`/host-of-this-service.invalid|(?<=Content-Length: )\d+/g`,
    file: "src/http/cached-documents.ts",
    text: "our own documents, before a host is inserted",
  },
];

/** Built from other values, in a function. `why` says why no text makes it slow. */
interface BuiltInFunction {
  readonly file: string;
  /** How it begins. */
  readonly code: string;
  /** What it may be: the checker proves these to be linear. */
  readonly like: readonly string[];
  readonly why: string;
}
const placeholder = {
  like: [String.raw`x8f2[ot](\d+)z`],
  why: "a random word of letters and digits, and a number (protectLiquid)",
};
export const builtInFunctions: readonly BuiltInFunction[] = [
  {
    file: "src/web/path.ts",
    code: "new RegExp(isWide(name) ? WIDE : NUMBER)",
    like: ["^-?[1-9][0-9]{0,18}$", "^[1-9][0-9]{0,14}$"],
    why: "one of two constants",
  },
  { file: "src/delivery/templates/placeholders.ts", code: 'new RegExp(pattern, "g")', ...placeholder },
  { file: "src/delivery/templates/prepare.ts", code: 'new RegExp(liquid.pattern, "g")', ...placeholder },
  { file: "src/delivery/templates/html/inline-css.ts", code: "new RegExp(pattern)", ...placeholder },
  {
    file: "src/delivery/templates/html/escape-contexts.ts",
    code: 'new RegExp(pattern, "g")',
    ...placeholder,
  },
  {
    file: "src/delivery/templates/html/escape-contexts.ts",
    code: "new RegExp(`</|<",
    like: [String.raw`</|<x8f2[ot](\d+)z`],
    why: placeholder.why,
  },
  {
    file: "src/delivery/templates/prepare.ts",
    code: "new RegExp(`<p>",
    like: [String.raw`<p>((?:\s*x8f2t\d+z)+)\s*</p>`],
    why: placeholder.why,
  },
  {
    file: "src/delivery/templates/prepare.ts",
    code: "new RegExp(`<tr>",
    like: [],
    why: "the text is what markdown-it writes, and in that every tag is closed",
  },
  {
    file: "src/delivery/templates/html/scan.ts",
    code: "new RegExp(`</",
    like: [String.raw`</script(?=[\s/>])`],
    why: "the name of an element; nothing is repeated",
  },
  ...["OPENING", "TOKEN", "END_OF_COMMENT"].map((name) => ({
    file: "src/delivery/templates/long-tags.ts",
    code: `new RegExp(${name})`,
    like: [],
    why: "a copy of a literal, which is checked itself",
  })),
  {
    file: "src/delivery/smtp/reply.ts",
    code: "new RegExp(`(?:",
    like: [String.raw`(?:s(?:[^\S\n]*\n\s*)?e\s+c(?:[^\S\n]*\n\s*)?d|c2Vj(?:[^\S\n]*\n\s*)?cmV0)={0,2}`],
    why: "the characters of a password, which neither begins nor ends with white space",
  },
];
