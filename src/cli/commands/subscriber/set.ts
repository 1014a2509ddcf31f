/** `mailroll subscriber set`: corrects the data of a subscriber. */

import { setSubscriber } from "#admin/subscribers/correct.ts";
import { type Replaced, replacedDocument } from "#admin/subscribers/person-document.ts";
import type { BasicData } from "#domain/subscriber/subscriber.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { parsePair } from "../../kit/parse-call.ts";
import { oneLine } from "../../kit/terminal/text.ts";

/** What people read in place of the names of basic data, and replaced values in words. */
export const basicLabels: Readonly<Record<keyof BasicData | "email", string>> = {
  email: "E-mail address",
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};

/** A custom field has its own name already, even if it is that of a basic value. */
export const labelOf = ({ id, name }: Replaced["field"]): string =>
  id === null && name in basicLabels ? basicLabels[name as keyof typeof basicLabels] : name;

const NONE = "(none)";
export const replacementText = (one: Replaced): string =>
  `${labelOf(one.field)}: ${one.old ?? NONE} → ${one.new ?? NONE}`;

/** The options of basic values, which --clear names too. */
const basics: Readonly<Record<string, keyof BasicData>> = {
  first: "firstName",
  last: "lastName",
  gender: "gender",
  birthday: "birthday",
  country: "country",
};
const basicNamed = (name: string): keyof BasicData | null => basics[name.trim().toLowerCase()] ?? null;

async function run(context: Context): Promise<void> {
  const { args, option, options, performInAccount, out } = context;
  const cleared = options("clear");
  const given = [...Object.keys(basics), "email"].some((name) => option(name) !== undefined);
  if (!given && options("field").length === 0 && cleared.length === 0)
    throw new UsageError(
      "nothing to set: give --email, --first, --last, --gender, --birthday, --country, --field or --clear",
    );
  const { address, replaced } = await performInAccount(setSubscriber, {
    email: args[0] ?? "",
    newEmail: option("email") ?? null,
    firstName: option("first") ?? null,
    lastName: option("last") ?? null,
    gender: option("gender") ?? null,
    birthday: option("birthday") ?? null,
    country: option("country") ?? null,
    values: options("field").map((text) => {
      const [field, value] = parsePair(text, "--field");
      return { field, value };
    }),
    clear: cleared.flatMap((name) => basicNamed(name) ?? []),
    clearFields: cleared.filter((name) => basicNamed(name) === null),
  });
  const document = { email: address, replaced: replaced.map(replacedDocument) };
  out.result(document, () => text(document));
}

function text({ email, replaced }: { email: string; replaced: readonly Replaced[] }): string {
  if (replaced.length === 0) return `${email} had these values already.`;
  const changes = replaced.map((one) => `  ${oneLine(replacementText(one))}`);
  return [`${email} was corrected:`, ...changes].join("\n");
}

export const subscriberSet: Command = {
  name: "subscriber set",
  args: ["EMAIL"],
  options: {
    email: { value: "NEW", doc: "The new address; the subscriber keeps lists, values and history." },
    first: { value: "NAME", doc: "First name." },
    last: { value: "NAME", doc: "Last name." },
    gender: { value: "M|F|X", doc: "Gender." },
    birthday: { value: "YYYY-MM-DD", doc: "Birthday." },
    country: { value: "CODE", doc: "Country, by its ISO 3166-1 code, such as AR, ARG or 32." },
    field: {
      value: "NAME=VALUE",
      repeated: true,
      doc: "A custom value, by the field's name or id; repeat the option for each field.",
    },
    clear: {
      value: "NAME",
      repeated: true,
      doc: "Remove a value: first, last, gender, birthday, country, or a field by its name. If a field has one of these names, give its id. Repeat the option for each value.",
    },
  },
  doc: "Corrects a subscriber: address, names, gender, birthday, country, custom values.",
  details: `The history keeps the old and the new value of everything that changes. An import replaces what was set here only with
--overwrite. But it always fills in a value that was cleared, if its file contains one.

--email is refused if NEW is already a subscriber, if it is blocked, or if its subscriber was erased while suppressed. It is also refused if
the subscriber EMAIL is unsubscribed, bounced, complained or blocked: the old address would be unknown, and could be added and mailed again.
A change of letter case only is always accepted.

After the change, campaign results show the new address. The old address is unknown: a program or a file that still contains it adds a new
subscriber.`,
  example: "subscriber set ada@example.org --first Ada --clear birthday --field 'Birthplace=London'",
  inputs: {
    email: "EMAIL",
    newEmail: "email",
    firstName: "first",
    lastName: "last",
    values: "field",
    clearFields: "clear",
  },
  run,
};
