/** `mailroll field …` */

import { dataTypes } from "../domain/field.ts";
import { nameKey, parseName } from "../domain/name.ts";
import { collect } from "../domain/pages.ts";
import { parseChoice } from "./arguments.ts";
import type { Command } from "./command.ts";
import { refusalLine, refuse } from "./outcome.ts";

export const fieldCommands: readonly Command[] = [
  {
    name: "field create",
    args: ["NAME"],
    options: {
      type: {
        value: "STRING",
        required: true,
        doc: `What it holds: ${dataTypes.join(", ")}.`,
      },
      private: { doc: "Mark it as private." },
    },
    doc: "Defines a custom field for what you know about people.",
    example: "field create Birthplace --type STRING",
    inAccount: true,
    run: async ({ args, option, has, store, account, now, out }) => {
      const type = parseChoice(option("type"), "--type", dataTypes);
      const name = parseName(args[0] ?? null);
      const { id } = await account();
      const opened = await store();
      const outcome = await opened.write("addField", {
        account: id,
        at: now,
        origin: { kind: "operator" },
        asked: null,
        field: name === null ? null : { name, type, isPrivate: has("private") },
      });
      if (outcome !== "Done")
        refuse(out, outcome, refusalLine(outcome, { account: id, address: null, limit: "fields" }));
      const fields = await collect(opened.pages("fields", { account: id }));
      const field = fields.find((one) => name !== null && nameKey(one.name) === nameKey(name));
      out.result(field, () => `Field ${field?.id}: ${field?.name}, ${field?.type}`);
    },
  },
  {
    name: "field list",
    args: [],
    options: {},
    doc: "Lists the custom fields in the order in which they were made.",
    example: "field list",
    inAccount: true,
    run: async ({ store, account, out }) => {
      const { id } = await account();
      const fields = await collect((await store()).pages("fields", { account: id }));
      out.table(
        fields,
        "There is no field yet; make one with 'mailroll field create NAME --type STRING'.",
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
