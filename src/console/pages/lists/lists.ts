/** `/console/{account}/lists`: all lists, with their exact numbers of members. */

import { createList } from "#admin/lists.ts";
import { listTotals } from "#admin/statistics.ts";
import { badge } from "#html/components/badge.ts";
import { textField } from "#html/components/fields.ts";
import { html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { formPage, newIdField, newIdIn } from "../../kit/form-html.ts";
import { isEmpty, newLinks, pagedTable } from "../../kit/listing.ts";
import { page, redirect, titled } from "../../kit/page.ts";

export const listsTexts = {
  title: "Lists",
};

const PAGE = 50;

const listsPage = page({
  path: "/{account}/lists",
  show: async (context) => {
    const { formats, link, may, path } = context;
    const args = { from: null, to: null, limit: PAGE };
    const found = await context.list(listTotals, args);
    const create = newLinks(context, "editor", "/lists/new");
    const body = pagedTable({ path }, found, {
      caption: listsTexts.title,
      href: ({ id }) => link(`/lists/${id}`),
      columns: [
        {
          label: "List",
          cell: ({ name, isDeleting }) =>
            isDeleting ? html`${name} ${badge("Being deleted", "warning")}` : name,
        },
        { label: "Active members", cell: ({ members }) => formats.number(members), isNumber: true },
        { label: "Joined in 30 days", cell: ({ joined }) => formats.number(joined), isNumber: true },
        { label: "Left in 30 days", cell: ({ left }) => formats.number(left), isNumber: true },
        { label: "Created", cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
      ],
      text: (count) => formats.count(count, "list"),
      empty: {
        title: "No lists yet",
        text: may("editor")
          ? "A list holds the people who get the same mail, such as a newsletter."
          : "A list holds the people who get the same mail. A user with the role editor can create one.",
        icon: "lists",
        actions: create("Create a list"),
      },
    });
    return titled(
      {
        title: listsTexts.title,
        description: "Each list has its own members. A person can be on several.",
        actions: isEmpty(found) ? [] : create("New list"),
      },
      body,
    );
  },
});

/** `/console/{account}/lists/new`: creates a list. */
const newListPage = formPage({
  path: "/{account}/lists/new",
  role: "editor",
  form: "create",
  show: async ({ link, may }, form) => ({
    title: "New list",
    parent: { label: listsTexts.title, href: link("/lists") },
    isIdempotent: true,
    fields: html`${textField({
      ...form.field("name"),
      label: "Name",
      placeholder: "e.g. Newsletter",
      hasFocus: true,
    })}${may("administrator") ? newIdField(form, "list", "short") : ""}`,
    save: "Create the list",
  }),
  submit: async ({ performHere, form, link }) => {
    const id = newIdIn(form, 15);
    const list = await performHere(createList, {
      name: form.text("name"),
      id: id === null ? null : Number(id),
    });
    return redirect(link(`/lists/${list.id}`), `The list ${quoted(list.name)} was created.`);
  },
});

export const listsPages = [listsPage, newListPage];
