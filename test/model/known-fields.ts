/** Commands as a caller can make them, who does not know the ids of fields that are being created. */
import type { CallerCommand, Standalone } from "./command.ts";
import type { Driver } from "./driver.ts";

const UNKNOWN = 99;

export function withKnownFields<C extends CallerCommand | Standalone>(command: C, driver: Driver): C {
  if (command.kind === "import") {
    // A file whose header names an unknown field is refused before.
    const known = ({ field }: { readonly field: number }): boolean => driver.hasField(field);
    return { ...command, rows: command.rows.map((row) => ({ ...row, values: row.values.filter(known) })) };
  }
  if (command.kind !== "add-with-data") return command;
  const values = command.data.values.map(({ field, value }) => ({
    field: field === null || driver.hasField(field) ? field : UNKNOWN,
    value,
  }));
  return { ...command, data: { ...command.data, values } };
}
