/** The headers of a case: lines `Name: value`, beside those that are implied. */
export type Header = readonly [name: string, value: string];
/** The value of a header that is implied, and shall not be there. */
export const ABSENT = "(none)";

/** The lines `Name: value` at the beginning, and the lines after them. */
export function splitHeaders(lines: readonly string[]): {
  headers: readonly Header[];
  rest: readonly string[];
} {
  const headers: Header[] = [];
  for (const line of lines) {
    const [, name, value] = /^([A-Za-z][\w-]*):(?: (.*))?$/.exec(line) ?? [];
    if (name === undefined) break;
    headers.push([name, value ?? ""]);
  }
  return { headers, rest: lines.slice(headers.length) };
}

/** The implied headers with those of the case, which replace those of the same name. */
export function withHeaders(implied: readonly Header[], given: readonly Header[]): readonly Header[] {
  const replaced = new Map(given.map((header) => [header[0].toLowerCase(), header]));
  const names = new Set(implied.map(([name]) => name.toLowerCase()));
  return [
    ...implied.map((header) => replaced.get(header[0].toLowerCase()) ?? header),
    ...given.filter(([name]) => !names.has(name.toLowerCase())),
  ].filter(([, value]) => value !== ABSENT);
}
