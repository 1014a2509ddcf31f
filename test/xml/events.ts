/** The events of our parser for a document, as a list to compare. */
import { XmlParser } from "#xml/parser.ts";

export type XmlEvent = readonly [kind: string, ...rest: unknown[]];

const byName = (a: readonly string[], b: readonly string[]): number =>
  a[0] === b[0] ? (a[1] ?? "").localeCompare(b[1] ?? "") : (a[0] ?? "").localeCompare(b[0] ?? "");

/** Puts the parts of a text together, and attributes in an order. */
export class EventList {
  readonly events: XmlEvent[] = [];
  readonly #open: (readonly [uri: string, local: string])[] = [];
  #text = "";

  open(uri: string, local: string, attributes: readonly (readonly [string, string, string])[]): void {
    this.#add(["start", [uri, local], [...attributes].sort(byName)]);
    this.#open.push([uri, local]);
  }
  close(): void {
    this.#add(["end", this.#open.pop()]);
  }
  text(part: string): void {
    this.#text += part;
  }
  #add(event: XmlEvent): void {
    if (this.#text !== "") this.events.push(["text", this.#text]);
    this.#text = "";
    this.events.push(event);
  }
}

export const parserTo = (list: EventList): XmlParser =>
  new XmlParser({
    open: (tag) => list.open(tag.uri, tag.local, tag.attributes()),
    close: () => list.close(),
    text: (part) => list.text(part),
  });

/** Throws what the parser throws. */
export function eventsOf(...slices: readonly string[]): XmlEvent[] {
  const list = new EventList();
  const parser = parserTo(list);
  parser.begin();
  for (const slice of slices) parser.write(slice);
  parser.end();
  return list.events;
}
