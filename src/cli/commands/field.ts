/** `mailroll field …` */

import {
  createField,
  deleteField,
  fieldUsage,
  listFields,
  MAX_COUNTED,
  renameField,
  showFieldToDelete,
} from "#admin/fields.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { dataTypes } from "#domain/field/field.ts";
import { type Command, UsageError } from "../kit/command.ts";
import { requireConfirmation, yesOption } from "../kit/confirmation.ts";
import { everyPage } from "../kit/every-page.ts";
import { parseChoice } from "../kit/parse-call.ts";
import { toTable } from "../kit/terminal/output.ts";
import { counted } from "../kit/terminal/text.ts";

/** Field ids are 64-bit numbers in SOAP. */
function parseFieldId(text: string, what: string): bigint {
  if (/^0*[1-9]\d{0,18}$/.test(text)) return BigInt(text);
  throw new UsageError(`${what} must be a number from 1; '${text}' is not`);
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
    run: async ({ args, option, has, performInAccount, out }) => {
      const type = parseChoice(option("type"), "--type", dataTypes);
      const field = await performInAccount(createField, {
        name: args[0] ?? "",
        type,
        isPrivate: has("private"),
        id: option("id", parseFieldId) ?? null,
      });
      out.result(field, () => `Field ${field.id}: ${field.name}, ${field.type}`);
    },
  },
  {
    name: "field rename",
    args: ["ID", "NAME"],
    doc: "Renames a custom field; its id, its type and the values of subscribers stay.",
    details:
      "Programs that use the field's id continue to work. To import a file that has the old name as a column heading, use --map.",
    example: "field rename 37328 'Place of birth'",
    run: async ({ args, perform, account, out }) => {
      const one = { account: (await account()).id, id: parseFieldId(args[0] ?? "", "ID") };
      const field = await perform(renameField, { ...one, name: args[1] ?? "" });
      out.result(field, () => `Field ${field.id}: ${field.name}, ${field.type}`);
    },
  },
  {
    name: "field delete",
    args: ["ID"],
    options: yesOption,
    doc: "Deletes a custom field and all its values, after confirmation; the history of subscribers stays.",
    details:
      "From then on, calls that give a value to the field are refused, as for any unknown field. The history still contains values that were replaced; only 'subscriber erase' deletes them.",
    example: "field delete 37328 --yes",
    run: async (context) => {
      const { args, perform, account, out } = context;
      const one = { account: (await account()).id, id: parseFieldId(args[0] ?? "", "ID") };
      const field = await perform(showFieldToDelete, one);
      const values = `${field.hasMore ? "at least " : ""}${counted(field.values, "value")}`;
      await requireConfirmation(context, {
        verb: "Delete",
        done: "deleted",
        what: `field ${field.id} (${field.name}) with ${values}`,
        consequence: "Calls that give a value to it are refused from then on.",
      });
      await perform(deleteField, one);
      out.result(
        inWords(field, { values: "valueCount" }),
        () => `Deleted field ${field.id} (${field.name}), which had ${values}.`,
      );
    },
  },
  {
    name: "field usage",
    doc: "Counts the subscribers who have a value of each custom field.",
    details: `The numbers are exact if the account has at most ${MAX_COUNTED} subscribers. Otherwise they are those of a random
sample of about ${MAX_COUNTED / 4}, which is drawn again each time. With --json, fields without a value are left out.`,
    example: "field usage",
    run: async ({ perform, account, out }) => {
      const of = { account: (await account()).id };
      const { subscribers, hasMore, counts } = await perform(fieldUsage, of);
      const fields = await everyPage((page) => perform(listFields, { ...of, ...page }));
      const valueCounts = new Map(counts.map(({ field, values }) => [field, values]));
      out.result(
        {
          ...{ subscriberCount: subscribers, hasMore },
          fields: counts.map(({ field, values }) => ({ fieldId: field, valueCount: values })),
        },
        () =>
          [
            `Number of ${hasMore ? "a random sample of " : "the "}${counted(subscribers, "subscriber")} who have a value:`,
            toTable(
              fields.map(({ id, name }) => ({ fieldId: id, name, valueCount: valueCounts.get(id) ?? 0 })),
            ),
          ].join("\n"),
      );
    },
  },
  {
    name: "field list",
    doc: "Lists the custom fields in the order of their creation.",
    example: "field list",
    run: async ({ performInAccount, out }) => {
      const fields = await everyPage((page) => performInAccount(listFields, page));
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
