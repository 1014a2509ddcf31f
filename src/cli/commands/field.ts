/** `mailroll field …` */

import { dataTypes, MAX_CHOSEN_FIELD_ID } from "../../domain/field.ts";
import { parseName } from "../../domain/name.ts";
import { collect } from "../../domain/pages.ts";
import { parseChoice } from "../kit/arguments/arguments.ts";
import { type Command, Failure, UsageError } from "../kit/command.ts";
import { refusalLine, refuse } from "../kit/outcome.ts";

/** Field ids are 64-bit numbers in SOAP. */
function parseFieldId(text: string): bigint {
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  if (id < 1n || id > MAX_CHOSEN_FIELD_ID)
    throw new UsageError(`--id must be a number from 1 to ${MAX_CHOSEN_FIELD_ID}; '${text}' is not`);
  return id;
}

export const fieldCommands: readonly Command[] = [
  {
    name: "field create",
    args: ["NAME"],
    options: {
      type: {
        value: "TYPE",
        required: true,
        doc: `The type of its values: ${dataTypes.join(", ")}.`,
      },
      private: { doc: "Mark it as not meant to be shown to subscribers." },
      id: {
        value: "ID",
        doc: "The id to use, if programs already contain it (default: the next free id).",
      },
    },
    doc: "Creates a custom field.",
    example: "field create Birthplace --type STRING --id 37328",
    inAccount: true,
    run: async ({ args, option, has, store, account, now, out }) => {
      const type = parseChoice(option("type"), "--type", dataTypes);
      const name = parseName(args[0] ?? null);
      const chosen = option("id");
      const id = chosen === undefined ? null : parseFieldId(chosen);
      const { id: owner } = await account();
      const field =
        name === null
          ? "InvalidFieldName"
          : await (await store()).fields.create({
              account: owner,
              id,
              field: { name, type, isPrivate: has("private") },
              at: now,
            });
      if (field === "IdTaken")
        throw new Failure(
          `the id ${id} is already in use in this installation; choose another id`,
          "AlreadyExists",
        );
      if (typeof field === "string")
        refuse(out, field, refusalLine(field, { account: owner, address: null, limit: "fields" }));
      out.result(field, () => `Field ${field.id}: ${field.name}, ${field.type}`);
    },
  },
  {
    name: "field list",
    args: [],
    options: {},
    doc: "Lists the custom fields in the order of their creation.",
    example: "field list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      const fields = await collect((await store()).fields.all.pages({ account: id }));
      out.table(
        fields,
        "There is no field yet; create one with 'mailroll field create NAME --type STRING'.",
        (field) => ({
          id: field.id,
          name: field.name,
          type: field.type,
          private: field.isPrivate,
          createdAt: field.createdAt,
        }),
      );
    },
  },
];
