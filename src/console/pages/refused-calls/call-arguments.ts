/** The arguments of a refused call: as a line, as a table, as fields to correct them, and back from there. */

import { InvalidInput } from "#admin/kit/errors.ts";
import { argumentsOf, type CallParameter, type KeptArguments } from "#admin/refused-calls.ts";
import { showAddress } from "#admin/subscribers/search.ts";
import type { List } from "#domain/list.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { type Option, selectField, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { isolated, quoted } from "#html/names.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { linkTo, objectLinks } from "../../kit/object-links.ts";
import type { PageContext } from "../../kit/page.ts";

export const listChoice = (name: string, id: string): string => `${isolated(name)} (${id})`;
export const callTexts = {
  given: "What the program sent",
  correct: "Correct and replay",
  recordField: (parameter: string, number: number, field: string): string =>
    `${parameter} ${number}: ${field}`,
};

// What the arguments of a refused call name: a list and a person, if they exist.

/** By the name of the argument. */
export type Mentioned = ReadonlyMap<string, Html | string>;
type InAccount = Pick<PageContext<"/{account}">, "performHere" | "link">;

const LIST = "SubscribersListID";
const ADDRESS = "EMail";

export async function mentionedBy(
  context: InAccount,
  kept: KeptArguments,
  lists: readonly List[],
): Promise<Mentioned> {
  const [list, person] = [kept[LIST], kept[ADDRESS]];
  const found = new Map<string, Html | string>();
  if (typeof list === "string") found.set(LIST, listText(context, list, lists));
  const link = typeof person === "string" ? await personLink(context, person) : null;
  if (link !== null) found.set(ADDRESS, link);
  return found;
}

function listText(context: InAccount, given: string, lists: readonly List[]): Html | string {
  const found = lists.find(({ id }) => String(id) === given.trim());
  return found === undefined
    ? "there is no such list"
    : linkTo(objectLinks(context).list(found.id), `the list ${quoted(found.name)}`);
}

async function personLink(context: InAccount, email: string): Promise<Html | null> {
  try {
    const { subscriber } = await context.performHere(showAddress, { email });
    return subscriber === null
      ? null
      : linkTo(objectLinks(context).subscriber(subscriber), "show this person");
  } catch (error) {
    // An address that is not valid is the reason of many refusals.
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

type Values = Readonly<Record<string, string>>;

/** What tells one call of a group from another. */
const TELLING = ["EMail", "fieldName"];
const MAX_SHOWN = 80;

/** Of whom or what the call is, in a few words. */
export function aboutOf({ args, operation }: Pick<Refusal, "args" | "operation">): string {
  const kept = argumentsOf({ args });
  const given = TELLING.map((name) => kept[name]).filter((value) => typeof value === "string");
  const text = given.find((value) => value.trim() !== "") ?? operation;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** One line per value; values of records have the number of the record. */
export const argumentRows = (kept: KeptArguments) =>
  Object.entries(kept).flatMap(([name, value]) =>
    typeof value === "string"
      ? [{ name, value }]
      : value.flatMap((record, at) =>
          Object.entries(record).map(([field, text]) => ({
            name: callTexts.recordField(name, at + 1, field),
            value: text,
          })),
        ),
  );

/** The name of a field of the form: that of the input, with the place of the argument in it. */
const nameOf = (...place: readonly (string | number)[]): string => ["corrections", ...place].join("/");

/** A field of one line cannot contain line breaks: browsers leave them out. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]/g, "");

const recordsOf = (kept: KeptArguments, name: string): readonly Values[] => {
  const records = kept[name];
  return typeof records === "object" ? records : [];
};
const textOf = (kept: KeptArguments | Values, name: string): string => {
  const value = kept[name];
  return typeof value === "string" ? value : "";
};

/** Without these no operation does anything. */
const NEEDED: ReadonlySet<string> = new Set(["EMail", LIST, "fieldName", "dataType"]);

interface Shown {
  readonly lists: readonly List[];
  readonly form: FormState;
}

function fieldFor(
  parameter: CallParameter,
  name: string,
  label: string,
  stored: string,
  { lists, form }: Shown,
): Html {
  const { note, choices, isNumber } = parameter;
  const field = { ...form.field(name, stored), label, isOptional: !NEEDED.has(parameter.name) };
  const options = parameter.name === LIST ? listOptions(stored, lists) : optionsOf(stored, choices);
  return options === null
    ? textField({ ...field, hint: note, ...(isNumber ? { inputMode: "numeric", width: "short" } : {}) })
    : selectField({ ...field, options });
}

/** What the program sent stays among them. */
const optionsOf = (stored: string, choices: readonly string[] | null): readonly Option[] | null =>
  choices === null ? null : [...new Set([stored, ...choices])].map((value) => ({ value, label: value }));

function listOptions(stored: string, lists: readonly List[]): readonly Option[] {
  const known = lists.map(({ id, name }) => ({
    value: String(id),
    label: listChoice(name, String(id)),
  }));
  const isKnown = known.some(({ value }) => value === stored);
  return isKnown
    ? known
    : [{ value: stored, label: stored === "" ? "" : `${stored}: there is no such list` }, ...known];
}

export const argumentFields = (
  parameters: readonly CallParameter[],
  kept: KeptArguments,
  lists: readonly List[],
  form: FormState,
): Html =>
  html`${parameters.map((parameter) => {
    const { name, fields } = parameter;
    const shown = { lists, form };
    if (fields === null) return fieldFor(parameter, nameOf(name), name, textOf(kept, name), shown);
    return recordsOf(kept, name).map((record, at) =>
      fields.map((field) =>
        fieldFor(
          field,
          nameOf(name, at, field.name),
          callTexts.recordField(name, at + 1, field.name),
          textOf(record, field.name),
          shown,
        ),
      ),
    );
  })}`;

/** Only what was changed: the rest of the call stays as the program has made it. */
export function correctionsIn(
  form: Form,
  parameters: readonly CallParameter[],
  kept: KeptArguments,
): Readonly<Record<string, string>> {
  const typed = (stored: string, ...place: readonly (string | number)[]): string => {
    const name = nameOf(...place);
    if (!form.has(name)) return stored;
    const text = form.text(name);
    return text === oneLine(stored) ? stored : text;
  };
  const corrections: [string, string][] = [];
  for (const { name, fields } of parameters)
    if (fields === null) {
      const stored = textOf(kept, name);
      const text = typed(stored, name);
      if (text !== stored) corrections.push([name, text]);
    } else {
      const stored = recordsOf(kept, name);
      const records = stored.map((record, at) =>
        Object.fromEntries(
          fields
            .map((field): [string, string] => [
              field.name,
              typed(textOf(record, field.name), name, at, field.name),
            ])
            .filter(([field, text]) => Object.hasOwn(record, field) || text !== ""),
        ),
      );
      if (JSON.stringify(records) !== JSON.stringify(stored.map((record) => sorted(record, fields))))
        corrections.push([name, JSON.stringify(records)]);
    }
  return Object.fromEntries(corrections);
}

const sorted = (record: Values, fields: readonly CallParameter[]): Values =>
  Object.fromEntries(
    fields
      .filter(({ name }) => Object.hasOwn(record, name))
      .map(({ name }): [string, string] => [name, textOf(record, name)]),
  );
