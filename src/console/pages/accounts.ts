/** `/console/accounts`: the accounts in which the user has a role; administrators create further ones. */

import { createAccount, listAccounts } from "#admin/accounts.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { formOf } from "../kit/form-html.ts";
import { pagedTable } from "../kit/listing.ts";
import { type PageContext, page, redirect, titled } from "../kit/page.ts";

const PAGE = 50;
type AccountsContext = PageContext<"/accounts">;

async function listed({ list, formats, base, path, may }: AccountsContext): Promise<Html> {
  const found = await list(listAccounts, { limit: PAGE });
  return pagedTable({ path }, found, {
    caption: "Accounts",
    href: ({ id }) => `${base}/${id}`,
    columns: [
      { label: "Account", cell: ({ name }) => name },
      {
        label: "Active subscribers",
        cell: ({ activeSubscribers }) => formats.number(activeSubscribers),
        isNumber: true,
      },
      { label: "Created", cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
      { label: "ID", cell: ({ id }) => String(id), isNumber: true, isMinor: true },
    ],
    text: (count) => formats.count(count, "account"),
    empty: may("administrator")
      ? {
          title: "There is no account yet",
          text: "An account holds lists, subscribers, API keys and users. Most installations have one, with the name of the organisation. Create it below.",
          icon: "user",
        }
      : {
          title: "You have no role in any account yet",
          text: "Ask an administrator, or the owner of an account, to give you one. Then open this page again.",
          icon: "user",
        },
  });
}

function creation({ may, formState }: AccountsContext): Html | null {
  if (!may("administrator")) return null;
  const form = formState("create");
  const body = html`${textField({
    ...form.field("name"),
    label: "Name",
    hint: "For example the name of your organisation. You can change it later.",
    autocomplete: "organization",
    width: "medium",
  })}${buttonRow(button({ label: "Create the account", emphasis: "primary" }))}`;
  return section("Create an account", formOf("create", { state: form, isIdempotent: true, body }));
}

export const accountsPage = page({
  path: "/accounts",
  show: async (context) =>
    titled(
      { title: "Accounts", description: "Each account has its own lists, subscribers, API keys and users." },
      html`${await listed(context)}
${creation(context)}`,
    ),
  forms: {
    create: async ({ perform, form, base }) => {
      const created = await perform(createAccount, { name: form.text("name") });
      return redirect(`${base}/${created.id}`, `The account ${quoted(created.name)} was created.`);
    },
  },
});
