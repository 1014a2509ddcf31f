/** A small tree of a document, for tests that ask what is in it. Throws where the text is not well-formed. */
import assert from "node:assert/strict";
import { SaxesParser } from "saxes";

export interface XmlNode {
  readonly uri: string;
  readonly local: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

export function parseXml(text: string): XmlNode {
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlNode[] = [{ uri: "", local: "", attributes: {}, children: [], text: "" }];
  const top = (): XmlNode => {
    const node = open.at(-1);
    assert.ok(node);
    return node;
  };
  parser.on("opentag", ({ uri, local, attributes }) => {
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value] as const);
    const node = { uri, local, attributes: Object.fromEntries(values), children: [], text: "" };
    top().children.push(node);
    open.push(node);
  });
  parser.on("text", (piece) => {
    top().text += piece;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(text).close();
  const [root] = top().children;
  assert.ok(root);
  return root;
}

export const all = (node: XmlNode, local: string): readonly XmlNode[] =>
  node.children.flatMap((child) => [...(child.local === local ? [child] : []), ...all(child, local)]);

/** The one element of that name, and of that name attribute if one is asked for. */
export function one(node: XmlNode, local: string, name?: string): XmlNode {
  const found = all(node, local).filter((child) => name === undefined || child.attributes.name === name);
  assert.equal(found.length, 1, `${found.length} × ${local} ${name ?? ""}`);
  const [only] = found;
  assert.ok(only);
  return only;
}
