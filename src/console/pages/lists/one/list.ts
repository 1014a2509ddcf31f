/** `/console/{account}/lists/{list}`: how a list grew, and its members. */
import { findList } from "#admin/lists.ts";
import { content, page } from "#console/kit/page.ts";
import type { List } from "#domain/list.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { stats } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { within } from "../../growth/growth.texts.ts";
import { growthPart, periodIn, readGrowth } from "../../growth/growth.ts";
import * as lists from "../lists.texts.ts";
import * as texts from "./list.texts.ts";
import { LIST_PATH, type ListVisit, memberForms, membersPart } from "./members.ts";

export const listPage = page({
  path: LIST_PATH,
  show: async (visit) => {
    const { account, params, formats, link } = visit;
    const list = await visit.perform(findList, { account: account.id, id: params.list });
    return content(
      list.name,
      html`${pageHeader({
        title: list.name,
        parent: { label: lists.title, href: link("/lists") },
        description: texts.facts(String(list.id), formats.date(list.createdAt)),
        actions: actionsOf(visit),
      })}
${await growthOf(visit, list)}
${await membersPart(visit, list)}`,
    );
  },
  forms: memberForms,
});

/** Nothing, if nobody is or was on the list in that time. */
async function growthOf(visit: ListVisit, list: List): Promise<Html | null> {
  const growth = await readGrowth(visit, list.id);
  const { joined, left } = growth;
  if (list.members + joined + left === 0) return null;
  const { number } = visit.formats;
  const detail = within(periodIn(visit));
  const figures = stats([
    { label: texts.membersNow, value: number(list.members), detail: texts.membersDetail },
    { label: texts.joined, value: number(joined), detail },
    { label: texts.left, value: number(left), detail },
  ]);
  return growthPart(visit, growth, { active: texts.overTime, figures });
}

function actionsOf({ link, params, may }: ListVisit): readonly Html[] {
  const here = link(`/lists/${params.list}`);
  const exporting = buttonLink({ label: texts.exportIt, href: `${here}/export`, icon: "export" });
  if (!may("editor")) return [exporting];
  return [
    buttonLink({ label: texts.add, href: `${here}/add`, emphasis: "primary", icon: "plus" }),
    buttonLink({ label: texts.importInto, href: link(`/imports?list=${params.list}`), icon: "import" }),
    exporting,
    menu(texts.more, [
      { label: texts.rename, href: `${here}/rename` },
      ...(may("owner") ? [{ label: texts.remove, href: `${here}/delete`, isDanger: true }] : []),
    ]),
  ];
}
