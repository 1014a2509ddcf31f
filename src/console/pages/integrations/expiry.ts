/** Until when a key works, as a day in the time zone of the user. */
import { DAY_MS } from "#domain/calendar.ts";
import { textField } from "#html/components/fields.ts";
import type { Html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { localTime, readLocalTime } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";

const NAME = "expires";

/** The last day on which the key works; empty: it does not expire. */
const lastDay = (expiresAt: number | null, { timeZone }: Formats): string =>
  expiresAt === null ? "" : localTime(expiresAt - 1, timeZone).slice(0, "2026-11-01".length);

export const expiryField = (form: FormState, formats: Formats, stored: number | null): Html =>
  textField({
    ...form.field(NAME, lastDay(stored, formats)),
    label: "Last day",
    type: "date",
    hint: `In the time zone ${formats.timeZone.replaceAll("_", " ")}. Without a date, the key works until it is revoked.`,
    width: "short",
    isOptional: true,
  });

/** null: never. A day that was left as it is shown keeps the time of `stored`. */
export function readExpiry(form: Form, formats: Formats, stored: number | null = null): number | null {
  const day = form.text(NAME).trim();
  if (day === lastDay(stored, formats)) return stored;
  if (day === "") return null;
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? readLocalTime(day, formats.timeZone) : null;
  if (start === null) throw new FormRefused({ fields: { [NAME]: "Choose a date." } });
  // A day is not 24 hours long when the clocks change: the next day's own beginning counts.
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, day.length);
  return readLocalTime(next, formats.timeZone);
}
