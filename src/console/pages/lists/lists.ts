/** `/console/{account}/lists`: all lists, with their exact numbers of members. */

import { createList, deleteList, findList, renameList, showListToDelete } from "#admin/lists.ts";
import { listTotals } from "#admin/statistics.ts";
import type { List } from "#domain/list.ts";
import { versionOf } from "#domain/version.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { confirmPage, formPage, newIdField, newIdIn } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { neighbours } from "../../kit/listing.ts";
import { content, page, redirect } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";

export const listsTexts = {
  title: "Lists",
  shown: (count: string): string => (count === "1" ? "1 list" : `${count} lists`),
};

const PAGE = 50;

export const listsPage = page({
  path: "/{account}/lists",
  show: async (context) => {
    const { account, formats, link, may, path } = context;
    const args = { account: account.id, from: null, to: null, limit: PAGE };
    const { rows, next, previous } = await context.list(listTotals, args);
    const mayCreate = may("editor");
    const create = (label: string): readonly Html[] =>
      mayCreate ? [buttonLink({ label, href: link("/lists/new"), emphasis: "primary", icon: "plus" })] : [];
    const isEmpty = rows.length === 0 && previous === null;
    const body = isEmpty
      ? emptyState({
          title: "No lists yet",
          text: mayCreate
            ? "A list holds the people who get the same mail, such as a newsletter."
            : "A list holds the people who get the same mail. A user with the role editor can create one.",
          icon: "lists",
          actions: create("Create a list"),
        })
      : html`${table({
          caption: listsTexts.title,
          rows,
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
        })}${pager({
          text: listsTexts.shown(formats.number(rows.length)),
          ...neighbours(path, { previous, next }),
        })}`;
    return content(
      listsTexts.title,
      html`${pageHeader({
        title: listsTexts.title,
        description: "Each list has its own members. A person can be on several.",
        actions: isEmpty ? [] : create("New list"),
      })}
${body}`,
    );
  },
});

/** `/console/{account}/lists/new`: creates a list. */
export const newListPage = formPage({
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
    })}${may("administrator") ? newIdField(form, "list", "short") : ""}`,
    save: "Create the list",
  }),
  submit: async ({ perform, account, form, link }) => {
    const id = newIdIn(form, 15);
    const list = await perform(createList, {
      ...{ account: account.id, name: form.text("name"), id: id === null ? null : Number(id) },
    });
    return redirect(link(`/lists/${list.id}`), `The list ${quoted(list.name)} was created.`);
  },
});

/** `/console/{account}/lists/{list}/rename` */
export const renameListPage = formPage({
  path: "/{account}/lists/{list}/rename",
  role: "editor",
  form: "rename",
  show: async ({ perform, account, params, link }, form) => {
    const list = await perform(findList, { account: account.id, id: params.list });
    return {
      title: `Rename ${quoted(list.name)}`,
      parent: { label: list.name, href: link(`/lists/${list.id}`) },
      version: versionOf("list", list),
      fields: textField({
        ...form.field("name", list.name),
        label: "Name",
        hint: "The ID stays the same. Earlier campaigns keep the old name of the list.",
      }),
      save: "Save",
    };
  },
  submit: async ({ perform, account, params, form, link }) => {
    const one = { account: account.id, id: params.list };
    const list = await perform(renameList, { ...one, name: form.text("name") });
    return redirect(link(`/lists/${list.id}`), `The list is now called ${quoted(list.name)}.`);
  },
});

const deleteListTexts = {
  campaigns: (count: string, isOne: boolean, hasMore: boolean): string =>
    `${hasMore ? "At least " : ""}${count} ${isOne ? "campaign was" : "campaigns were"} recorded for it. ${isOne && !hasMore ? "It stays" : "They stay"}, with the name of the list.`,
};

/** `/console/{account}/lists/{list}/delete`: what goes and what stays, then the deletion. */
export const deleteListPage = confirmPage({
  path: "/{account}/lists/{list}/delete",
  role: "owner",
  form: "delete",
  show: async ({ perform, account, params, link, formats }) => {
    const found = await perform(showListToDelete, { account: account.id, id: params.list });
    const { list, campaigns, hasMoreCampaigns } = found;
    const home = link(`/lists/${list.id}`);
    return {
      title: `Delete ${quoted(list.name)}`,
      parent: { label: list.name, href: home },
      question: `Delete the list ${quoted(list.name)}?`,
      affected: affectedBy(list, formats),
      consequences: [
        "The people stay in the account, with their data, their history and their other lists.",
        "The growth statistics of this list are deleted.",
        campaigns === 0
          ? "No campaign was recorded for it."
          : deleteListTexts.campaigns(formats.number(campaigns), campaigns === 1, hasMoreCampaigns),
        `Calls from programs that still use its ID (${String(list.id)}) will be refused.`,
        "This cannot be undone. An export keeps a copy of its members.",
      ],
      isDangerous: true,
      version: versionOf("list", list),
      confirm: "Delete the list",
      others: [buttonLink({ label: "Export first", href: `${home}/export` })],
      keep: "Keep it",
    };
  },
  submit: async (context) => {
    const { perform, account, params, link } = context;
    const { list, job } = await perform(deleteList, { account: account.id, id: params.list });
    const [done, begun] = [
      `The list ${quoted(list.name)} was deleted. Its people stay in the account.`,
      `The list ${quoted(list.name)} is being deleted. Nobody can be added to it any more.`,
    ];
    return redirectAfter(context, job, link("/lists"), { done, begun });
  },
});

function affectedBy({ members }: List, { number }: Formats): string {
  if (members === 0) return "It has no members";
  return members === 1 ? "1 member leaves it" : `${number(members)} members leave it`;
}
