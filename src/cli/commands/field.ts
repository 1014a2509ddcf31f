/** `mailroll field …` */
import { createField, listFields } from "../../admin/fields.ts";
import { dataTypes } from "../../domain/field.ts";
import { parseChoice } from "../kit/arguments/arguments.ts";
import type { Command } from "../kit/command.ts";

/** Field ids are 64-bit numbers in SOAP. What is no number is no id either. */
const parseFieldId = (text: string): bigint => (/^\d{1,19}$/.test(text) ? BigInt(text) : 0n);

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
    run: async ({ args, option, has, perform, account, out }) => {
      const type = parseChoice(option("type"), "--type", dataTypes);
      const chosen = option("id");
      const { id: owner } = await account();
      const field = await perform(createField, {
        account: owner,
        name: args[0] ?? "",
        type,
        isPrivate: has("private"),
        id: chosen === undefined ? null : parseFieldId(chosen),
      });
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
    run: async ({ perform, account, out }) => {
      const { id } = await account();
      const fields = await perform(listFields, { account: id });
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
