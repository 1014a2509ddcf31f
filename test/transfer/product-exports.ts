/**
 * Exports of other products and spreadsheets, in the shape of their documentation and source, and who must
 * arrive from them in which state. They were written by somebody who has not seen the importer.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";

export interface Arrived {
  readonly email: string;
  /** "not confirmed": not imported, because a file cannot confirm for a person. */
  readonly state: "active" | "unsubscribed" | "bounced" | "complained" | "blocked" | "not confirmed";
  readonly first: string | null;
  readonly last: string | null;
  /** The day of subscription; null: not in the file. */
  readonly since: string | null;
  readonly country: string | null;
}
export interface ProductExport {
  readonly name: string;
  readonly text: Buffer;
  readonly people: readonly Arrived[];
}

export const notImported = (email: string): Arrived => ({
  ...{ email, state: "not confirmed", first: null, last: null, since: null, country: null },
});

const folder = join(import.meta.dirname, "exports");
export const productExports: readonly ProductExport[] = readdirSync(folder)
  .filter((file) => !file.endsWith(".json"))
  .map((name) => {
    const expected = readFileSync(join(folder, `${parse(name).name}.expected.json`), "utf8");
    const people = JSON.parse(expected) as readonly Arrived[];
    return {
      ...{ name, text: readFileSync(join(folder, name)) },
      people: people.map((one) => (one.state === "not confirmed" ? notImported(one.email) : one)),
    };
  });
