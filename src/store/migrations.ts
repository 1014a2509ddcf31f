/** The numbered migrations of a store, from the files of its folder: `0001-first.sql` and so on. */
import { readdirSync, readFileSync } from "node:fs";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** In order. */
export const readMigrations = (folder: URL): readonly Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(new URL(file, folder), "utf8"),
    }));
