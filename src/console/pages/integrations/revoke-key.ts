/** `/console/{account}/integrations/{key}/revoke`: what stops working, then the revocation. */
import type { KeyUse } from "#admin/keys/key-use.ts";
import { revokeKey } from "#admin/keys/keys.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import type { Formats } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import { findUse } from "./key.ts";
import { nameOf } from "./key-names.ts";
import * as texts from "./revoke-key.texts.ts";

export const revokeKeyPage = page({
  path: "/{account}/integrations/{key}/revoke",
  role: "owner",
  show: async (visit) => {
    const { shown, link, formats } = visit;
    const use = await findUse(visit, texts.DAYS);
    const { key } = use;
    const home = link(`/integrations/${key.id}`);
    if (key.revokedAt !== null) return redirect(home, texts.already);
    const title = texts.title(nameOf(key));
    return content(
      title,
      html`${pageHeader({ title, parent: { label: nameOf(key), href: home } })}
${confirmation({
  title: texts.question(nameOf(key)),
  affected: callsADay(use, formats),
  consequences: [
    ...(use.programs.length === 0 ? [] : [programs(use, formats)]),
    texts.fault,
    texts.dataStays,
    texts.noWayBack,
  ],
  isDangerous: true,
  body: formOf("revoke", {
    shown: shown("revoke"),
    version: versionOf("key", key),
    body: buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      ...(use.total.calls === 0
        ? []
        : [buttonLink({ label: texts.newFirst, href: link("/integrations/new") })]),
      buttonLink({ label: texts.keep, href: home, emphasis: "quiet" }),
    ),
  }),
})}`,
    );
  },
  forms: {
    revoke: {
      submit: async ({ perform, account, params, link }) => {
        const key = await perform(revokeKey, { account: account.id, id: params.key });
        return redirect(link(`/integrations/${key.id}`), texts.done(nameOf(key)));
      },
    },
  },
});

function callsADay({ total, days }: KeyUse, formats: Formats): string {
  if (total.calls === 0) return texts.notUsed;
  const average = Math.round(total.calls / days.length);
  return average === 0 ? texts.few : texts.affected(formats.number(average));
}

function programs({ programs: all, programCount }: KeyUse, formats: Formats): string {
  const rest = programCount - all.length;
  const names = all.map(({ program }) => isolated(program)).join(", ");
  return texts.programs(`${names}${rest > 0 ? texts.more(formats.number(rest)) : ""}`);
}
