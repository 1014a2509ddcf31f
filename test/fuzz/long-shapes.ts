/**
 * Messages in which something is long and something is repeated: one choice per gene, from a fixed scale, so
 * that a search (hill-climb.ts) can go from one message to a similar one. Does not measure cost.
 */
import { soap11, XSI_NAMESPACE } from "#soap/version.ts";
import type { Target } from "./envelope.ts";
import type { Random } from "./random.ts";

/** Below 1: a fraction of the message, so that it grows with the message. */
const LENGTHS = [0, 1, 8, 60, 300, 1000, 16_000, 1 / 64, 1 / 8, 1 / 2] as const;
/** What a text or an attribute value consists of. */
const UNITS = [
  "x",
  "é",
  "😀",
  "&amp;",
  "&#38;",
  "&#x00000026;",
  "&#xD83D;&#xDE00;",
  "\r",
  "\r\n",
  " ",
] as const;
const MARKUP = ["]", "<!---->", "<!-- - -->", "<?p ??>", "<![CDATA[]]>", "<![CDATA[]]]]>", "<b/>"] as const;

/** The first choice of each gene is the plainest. */
const GENES = {
  place: ["parameters", "headers", "records", "operations", "a value", "behind the Body", "other elements"],
  depth: [0, 1, 20, 50],
  /** For the repeated element; 0 uses a name that the contract declares there. */
  nameLength: [1, ...LENGTHS],
  prefix: ["none", "one", "several", "its own"],
  prefixLength: [1, ...LENGTHS],
  /** Declared once, around all elements. */
  namespaces: [0, 1, 2, 8, 60],
  namespaceLength: [8, ...LENGTHS],
  namespaceEnd: ["", "/"],
  namespacesDiffer: ["at the end", "at the start", "nowhere"],
  /** Declared by each element. */
  ownNamespaces: [0, 1, 2, 8, 60],
  ownNamespaceLength: [8, ...LENGTHS],
  attributes: [0, 1, 2, 8, 9, 30, 62],
  attributeLength: [1, ...LENGTHS],
  attributePrefix: ["none", "one", "several", "its own"],
  attributesDiffer: ["at the end", "at the start", "nowhere"],
  valueLength: [0, ...LENGTHS],
  valueUnit: UNITS,
  textLength: [0, ...LENGTHS],
  textUnit: [...UNITS, ...MARKUP],
  flag: ["none", "mustUnderstand", "nil"],
  flagSpace: [0, ...LENGTHS],
  roleLength: [0, ...LENGTHS],
  roleUnit: [" ", "x"],
  spaceInTags: [0, ...LENGTHS],
  /** What differs between the elements. */
  distinct: ["nothing", "names", "prefixes", "namespaces", "attributes"],
  encoding: ["utf-8", "utf-16", "iso-8859-1", "not utf-8", "gb18030", "utf-16be"],
  actionLength: [0, 60, 2000, 7000],
  actionUnit: ["x", " ", "%41", "/", '"'],
  mediaTypeLength: [0, 60, 2000, 7000],
  mediaTypeUnit: [";a=b", ";", " ", ';a="', "; a", "\\"],
} as const satisfies Record<string, readonly (string | number)[]>;

export type Shape = { readonly [Gene in keyof typeof GENES]: (typeof GENES)[Gene][number] };
const genes = Object.keys(GENES) as (keyof Shape)[];

export const PLAINEST = Object.fromEntries(genes.map((gene) => [gene, GENES[gene][0]])) as unknown as Shape;

/** Where the search starts; other genes matter in each of these. */
export const STARTS: readonly Shape[] = (
  [
    {},
    { prefix: "several", namespaces: 2 },
    { prefix: "several", namespaces: 2, namespaceEnd: "/" },
    { attributes: 2, attributePrefix: "several", namespaces: 2 },
    { attributes: 9, attributePrefix: "several", namespaces: 8 },
    { attributes: 1, valueLength: 8, valueUnit: "&amp;" },
    { prefix: "its own", ownNamespaces: 1, distinct: "namespaces" },
    { textLength: 60, textUnit: "&amp;" },
    { place: "a value", textLength: 8 },
    { place: "records", nameLength: 0, flag: "nil", flagSpace: 1 },
    { place: "records", prefix: "several", namespaces: 2 },
    { place: "headers", flag: "mustUnderstand", roleLength: 8, prefix: "one", namespaces: 1 },
    { place: "operations", prefix: "one", namespaces: 1 },
    { depth: 50, prefix: "one", namespaces: 1 },
    { actionLength: 60, mediaTypeLength: 60, encoding: "not utf-8" },
  ] satisfies readonly Partial<Shape>[]
).map((start) => ({ ...PLAINEST, ...start }));

/** Changes one gene of a shape. */
export type Step = (shape: Shape) => Shape;
/** All possible steps, in random order. */
export function stepsIn(random: Random): readonly Step[] {
  const steps = genes.flatMap((gene) =>
    [...new Set<string | number>(GENES[gene])].map(
      (value): Step =>
        (shape) =>
          shape[gene] === value ? shape : { ...shape, [gene]: value },
    ),
  );
  return random.shuffled(steps);
}

/** A shape that differs in at most `times` genes. */
export function mutated(random: Random, shape: Shape, times: number): Shape {
  const changed: Record<string, string | number> = { ...shape };
  for (let time = 0; time < times; time += 1) {
    const gene = random.pick(genes);
    changed[gene] = random.pick<string | number>(GENES[gene]);
  }
  return changed as Shape;
}

/** The unusual genes of a shape, without those that have no effect on the message. */
export function described(shape: Shape): string {
  const message = messageOf(shape, SHOWN_SIZE, NOBODY);
  const counts = genes.filter((gene) => {
    const other = messageOf({ ...shape, [gene]: PLAINEST[gene] }, SHOWN_SIZE, NOBODY);
    const isSame = other.contentType === message.contentType && other.soapAction === message.soapAction;
    return !isSame || !other.body.equals(message.body);
  });
  return JSON.stringify(Object.fromEntries(counts.map((gene) => [gene, shape[gene]])));
}
const SHOWN_SIZE = 65_536;
const NOBODY: Target = { namespace: "urn:nobody", key: "" };

export interface LongMessage {
  readonly contentType: string;
  readonly soapAction: string | undefined;
  readonly body: Buffer;
}

export function messageOf(shape: Shape, size: number, target: Target): LongMessage {
  const text = textOf(shape, size, target);
  const { actionLength, actionUnit, mediaTypeLength, mediaTypeUnit } = shape;
  const parameters = filled(mediaTypeUnit, mediaTypeLength);
  const { body, charset } = encoded(text, shape.encoding);
  return {
    contentType: `text/xml; charset=${charset}${parameters}`,
    soapAction: actionLength === 0 ? undefined : filled(actionUnit, actionLength),
    body,
  };
}

function encoded(text: string, encoding: Shape["encoding"]): { body: Buffer; charset: string } {
  switch (encoding) {
    case "utf-16":
      return { body: Buffer.from(text, "utf16le"), charset: encoding };
    case "utf-16be":
      return { body: Buffer.from(text, "utf16le").swap16(), charset: encoding };
    case "iso-8859-1":
      return { body: Buffer.from(text, "latin1"), charset: encoding };
    case "not utf-8":
      return { body: Buffer.from(`${text}<!--é-->`, "latin1"), charset: "utf-8" };
    default:
      return { body: Buffer.from(text), charset: encoding };
  }
}

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** `count` strings of that length, equal except for a number. */
function things(letter: string, length: number, count: number, differ: Shape["namespacesDiffer"]): string[] {
  const rest = letter.repeat(Math.max(0, length - 1));
  return numbers(count).map((index) => {
    if (differ === "nowhere") return `${letter}${rest}`;
    return differ === "at the end" ? `${letter}${rest}${index}` : `${letter}${index}${rest}`;
  });
}

function textOf(shape: Shape, size: number, { namespace, key }: Target): string {
  const operation = "Subscriber.AddwithBasicandCustoms";
  const start = `<e:Envelope xmlns:e="${soap11.namespace}" xmlns:xsi="${XSI_NAMESPACE}"${declarations(shape, size)}>`;
  const inner = `${"<w>".repeat(shape.depth)}${elements(shape, size, size - start.length)}${"</w>".repeat(shape.depth)}`;
  const within = (parameters: string, beside = ""): string =>
    `<e:Body><${operation} xmlns="${namespace}"><APIKey>${key}</APIKey>${parameters}</${operation}>${beside}</e:Body>`;
  const places: Readonly<Record<Shape["place"], () => string>> = {
    parameters: () => within(inner),
    headers: () => `<e:Header>${inner}</e:Header>${within("")}`,
    records: () => within(`<CustomsFields>${inner}</CustomsFields>`),
    operations: () => within("", inner),
    "a value": () => within(`<FirstName>${inner}</FirstName>`),
    "behind the Body": () => `${within("")}${inner}`,
    "other elements": () => within(`<other>${inner}</other>`),
  };
  return `${start}${places[shape.place]()}</e:Envelope>`;
}

/** In characters. A fraction is divided among `count` items. */
const lengthIn = (length: number, size: number, count = 1): number =>
  length > 0 && length < 1 ? Math.floor((length * size) / Math.max(1, count)) : length;

/** Prefixes of the namespaces that are declared around all elements. */
const prefixes = ({ prefixLength, namespaces }: Shape, size: number): readonly string[] =>
  things("p", lengthIn(prefixLength, size, namespaces), namespaces, "at the end");

function declarations(shape: Shape, size: number): string {
  const { namespaces, namespaceLength, namespaceEnd, namespacesDiffer } = shape;
  const uris = things("n", lengthIn(namespaceLength, size, namespaces), namespaces, namespacesDiffer);
  return prefixes(shape, size)
    .map((prefix, index) => ` xmlns:${prefix}="${uris[index]}${namespaceEnd}"`)
    .join("");
}

/** As many elements as fit. If they are to be alike, a few are repeated in turn. */
function elements(shape: Shape, size: number, room: number): string {
  const most = shape.distinct === "nothing" ? ALIKE : Number.POSITIVE_INFINITY;
  const element = elementOf(shape, size);
  const made: string[] = [];
  let length = 0;
  do {
    const one = element(made.length);
    made.push(one);
    length += one.length;
  } while (length < room && made.length < most);
  return made.join("").repeat(Math.max(1, Math.floor(room / length)));
}
const ALIKE = 8;

const declared: Readonly<Partial<Record<Shape["place"], string>>> = {
  records: "customField",
  operations: "Subscriber.Add",
};

function elementOf(shape: Shape, size: number): (index: number) => string {
  const { ownNamespaces, attributes: count, attributesDiffer, namespacesDiffer, distinct } = shape;
  const around = prefixes(shape, size);
  const local =
    shape.nameLength === 0
      ? (declared[shape.place] ?? "FirstName")
      : "a".repeat(lengthIn(shape.nameLength, size));
  const uris = things(
    "u",
    lengthIn(shape.ownNamespaceLength, size, ownNamespaces),
    ownNamespaces,
    namespacesDiffer,
  );
  const locals = things("b", lengthIn(shape.attributeLength, size, count), count, attributesDiffer);
  const value = filled(shape.valueUnit, lengthIn(shape.valueLength, size, count));
  const text = filled(shape.textUnit, lengthIn(shape.textLength, size));
  const space = ` ${" ".repeat(lengthIn(shape.spaceInTags, size))}`;
  const flagged = flags(shape, size);
  return (index) => {
    const mark = (what: Shape["distinct"]): string => (distinct === what ? String(index) : "");
    const own = `o${mark("prefixes")}x`;
    const prefix = (which: Shape["prefix"], turn: number): string => {
      if (which === "its own") return ownNamespaces > 0 ? `${own}0:` : "";
      return which === "none" || around.length === 0
        ? ""
        : `${around[which === "one" ? 0 : turn % around.length]}:`;
    };
    const name = `${prefix(shape.prefix, index)}${local}${mark("names")}`;
    const start = [
      name,
      ...uris.map((uri, n) => `xmlns:${own}${n}="${uri}${mark("namespaces")}${shape.namespaceEnd}"`),
      ...locals.map((one, n) => `${prefix(shape.attributePrefix, n)}${one}${mark("attributes")}="${value}"`),
      ...flagged,
    ].join(space);
    return text === "" ? `<${start}/>` : `<${start}>${text}</${name}>`;
  };
}

function flags({ flag, flagSpace, roleLength, roleUnit }: Shape, size: number): readonly string[] {
  if (flag === "none") return [];
  const value = `${" ".repeat(lengthIn(flagSpace, size))}1`;
  if (flag === "nil") return [`xsi:nil="${value}"`];
  const role = roleLength === 0 ? [] : [`e:actor="${filled(roleUnit, lengthIn(roleLength, size))}"`];
  return [`e:mustUnderstand="${value}"`, ...role];
}
