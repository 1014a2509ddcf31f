/** `/console/{account}/settings`: the account itself. Owners rename it, administrators change its limits. */

import { deleteAccount, renameAccount, setAccount } from "#admin/accounts.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { card, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { confirmPage, formOf } from "../../kit/form-html.ts";
import { type PageContext, page, redirect } from "../../kit/page.ts";
import { countryName, countryOptions } from "../subscribers/person-parts.ts";
import { settings, settingsContent, settingsLink } from "./settings-header.ts";

const FIELD_LIMIT = "Limit of custom fields";
const DELETION = "Delete the account";

const PATH = "/{account}/settings";
type AccountContext = PageContext<typeof PATH>;

function facts({ account, formats }: AccountContext): Html {
  const { number, date } = formats;
  const { limitSubscribers, limitFields, activeSubscribers, country } = account;
  const limit = (value: number | null): string => (value === null ? "No limit" : number(value));
  return card(
    definitions([
      ["Name", account.name],
      ["Account number", String(account.id)],
      [
        "Active subscribers",
        limitSubscribers === null
          ? number(activeSubscribers)
          : `${number(activeSubscribers)} of at most ${number(limitSubscribers)}`,
      ],
      [FIELD_LIMIT, limit(limitFields)],
      ["Country", country === null ? "None" : countryName(country)],
      ["Created", date(account.createdAt)],
    ]),
  );
}

function renameForm({ account, formState }: AccountContext): Html {
  const form = formState("rename");
  return section(
    "Name of the account",
    formOf("rename", {
      state: form,
      version: versionOf("account", account),
      body: html`${textField({ ...form.field("name", account.name), label: "Name" })}${buttonRow(button({ label: "Save", emphasis: "primary" }))}`,
    }),
  );
}

function limitsForm({ account, formState }: AccountContext): Html {
  const form = formState("set");
  const limit = (name: "limitSubscribers" | "limitFields", label: string): Html =>
    textField({
      ...form.field(name, account[name] === null ? "" : String(account[name])),
      label,
      hint: "Empty for no limit.",
      inputMode: "numeric",
      width: "medium",
      isOptional: true,
    });
  return section(
    "Country and limits",
    formOf("set", {
      state: form,
      version: versionOf("account", account),
      body: html`${selectField({
        ...form.field("country", account.country ?? ""),
        label: "Country",
        hint: "For telephone numbers that are written without a country code.",
        options: [{ value: "", label: "None" }, ...countryOptions],
        width: "medium",
        isOptional: true,
      })}${limit("limitSubscribers", "Limit of active subscribers")}${limit("limitFields", FIELD_LIMIT)}${buttonRow(
        button({ label: "Save" }),
      )}`,
    }),
    { description: "Only administrators of the installation can change them." },
  );
}

/** Empty: none. What is no number is refused by the action. */
const readLimit = (text: string): number | null => (text.trim() === "" ? null : Number(text));

const accountPage = page({
  path: PATH,
  role: "viewer",
  show: async (context) => {
    const { may } = context;
    return settingsContent(
      context,
      "",
      "Account",
      html`${facts(context)}
${may("owner") ? renameForm(context) : null}
${may("administrator") ? limitsForm(context) : null}
${
  may("administrator")
    ? section(
        DELETION,
        buttonRow(
          buttonLink({
            label: "Delete the account…",
            href: settingsLink(context, "/delete"),
            icon: "delete",
          }),
        ),
        { description: "Erases everything in the account. You confirm it on the next page." },
      )
    : null
}`,
    );
  },
  forms: {
    rename: async ({ performHere, form, path }) => {
      await performHere(renameAccount, { name: form.text("name") });
      return redirect(path, "The account is renamed.");
    },
    set: async ({ performHere, form, path }) => {
      await performHere(setAccount, {
        country: form.text("country") === "" ? null : form.text("country"),
        limitSubscribers: readLimit(form.text("limitSubscribers")),
        limitFields: readLimit(form.text("limitFields")),
      });
      return redirect(path, "The settings of the account are saved.");
    },
  },
});

/** `/console/{account}/settings/delete`: says what goes with the account, and asks for its name. */
const deleteAccountPage = confirmPage({
  path: "/{account}/settings/delete",
  role: "administrator",
  form: "delete",
  show: async (context, form) => ({
    title: DELETION,
    parent: { label: settings, href: settingsLink(context, "") },
    question: `Delete the account ${quoted(context.account.name)}`,
    affected: `${context.formats.number(context.account.activeSubscribers)} active subscribers`,
    consequences: [
      "All subscribers are erased, with their data and history. Their unsubscribes, bounces and complaints are forgotten as well.",
      "Lists, custom fields, campaigns, imports, refused calls, the block list and the audit log of the account are deleted.",
      "The API keys stop working at once: every integration of the account fails from then on.",
      "Users lose their role in the account. Users without another role can still sign in, but see nothing.",
      "This cannot be undone. Only a backup brings it back.",
    ],
    isDangerous: true,
    fields: textField({ ...form.field("name"), label: "Type the name of the account to confirm" }),
    confirm: "Delete everything",
    keep: "Keep the account",
  }),
  submit: async ({ performHere, account, form, base }) => {
    await performHere(deleteAccount, { name: form.text("name") });
    return redirect(
      `${base}/installation/jobs`,
      `The account ${quoted(account.name)} is deleted. A job erases the rest of its data.`,
    );
  },
});

export const accountPages = [accountPage, deleteAccountPage];
