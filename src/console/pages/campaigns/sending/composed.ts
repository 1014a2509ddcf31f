/** What can be done with a composed campaign in its state, and what it says to whom. */
import { showContent } from "#admin/campaigns/sending/compose.ts";
import type { Sending } from "#admin/campaigns/sending/progress.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { listLists } from "#admin/lists.ts";
import { showSender } from "#admin/senders/senders.ts";
import { allRows } from "#console/kit/all-rows.ts";
import { doing } from "#console/kit/forms/form.ts";
import type { Visit } from "#console/kit/visit.ts";
import {
  type CampaignContent,
  hasEnded,
  isDeletable,
  isEditable,
  mayCancel,
  mayChange,
  mayRetry,
} from "#domain/sending/mailing.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { definitions } from "#html/components/figures.ts";
import { type MenuLink, menu } from "#html/components/menu.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { nameOf } from "../../senders/senders.ts";
import { addressOf, ofCampaign } from "../campaign-header.ts";
import * as texts from "./composed.texts.ts";

type CampaignVisit = Visit<"/{account}/campaigns/{campaign}">;

/** A step that needs no question: it can be taken back. */
const step = (form: string, label: string): Html =>
  html`<form method="post">${doing(form)}${button({ label })}</form>`;

/** The most important first; the rest is in the menu. */
export function sendingActions(
  visit: Pick<CampaignVisit, "link" | "may">,
  sending: Sending,
): readonly Html[] {
  const { may } = visit;
  const { state, counts } = sending;
  const own = addressOf(visit, sending.campaign);
  const [isEditor, isOwner, isDraft] = [may("editor"), may("owner"), isEditable(state)];
  const link = (label: string, page: string, isPrimary = false): Html =>
    buttonLink({ label, href: `${own}/${page}`, ...(isPrimary ? { emphasis: "primary" } : {}) });
  const only = <Shown>(isShown: boolean, shown: () => Shown): readonly Shown[] => (isShown ? [shown()] : []);
  const items: readonly MenuLink[] = [
    ...only(isEditor && !isDraft, () => ({ label: texts.preview, href: `${own}/preview` })),
    ...only(isEditor && (isDraft || state === "scheduled"), () => ({
      ...{ label: texts.dryRun, href: `${own}/dry-run` },
    })),
    ...only(isOwner && mayRetry(sending) && counts.failed > 0, () => ({
      ...{ label: texts.retryFailed, href: `${own}/retry?state=failed` },
    })),
    ...only(isOwner && mayRetry(sending) && counts.unknown > 0, () => ({
      ...{ label: texts.retryUnknown, href: `${own}/retry?state=unknown` },
    })),
    ...only(sending.selected > 0, () => ({ label: texts.verify, href: `${own}/verify` })),
    ...only(isEditor && !isDraft, () => ({ label: texts.rename, href: `${own}/change` })),
    ...only(isOwner && mayCancel(sending), () => ({
      ...{ label: texts.cancel, href: `${own}/cancel`, isDanger: true },
    })),
    ...only(isOwner && isDeletable(state) && (isDraft || hasEnded(state)), () => ({
      ...{ label: texts.remove, href: `${own}/deletion`, isDanger: true },
    })),
  ];
  return [
    ...only(isEditor && isDraft, () => link(texts.edit, "edit")),
    ...only(isEditor && isDraft, () => link(texts.preview, "preview")),
    ...only(isEditor && isDraft, () => link(isOwner ? texts.send : texts.check, "send", true)),
    ...only(isOwner && state === "scheduled", () => link(texts.reschedule, "send")),
    ...only(isEditor && mayChange("unschedule", state), () => step("unschedule", texts.unschedule)),
    ...only(isEditor && mayChange("pause", state), () => step("pause", texts.pause)),
    ...only(isOwner && mayChange("resume", state), () => link(texts.resume, "resume", true)),
    ...only(items.length > 0, () => menu(texts.more, items)),
  ];
}

function writtenAs({ html: own, markdown, text, layout }: CampaignContent): string | null {
  if (own !== null) return texts.kinds.html;
  if (markdown !== null) return texts.kinds.markdown(layout ?? "plain");
  return text === null ? texts.kinds.none : texts.kinds.text;
}

export async function contentPart(visit: CampaignVisit): Promise<Html> {
  const { perform, account, link } = visit;
  const { content } = await perform(showContent, ofCampaign(visit));
  const all = await allRows(visit, listLists, { account: account.id });
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const listLinks = (ids: readonly number[], none: string | null): Insert =>
    ids.length === 0
      ? none
      : html`${ids.map((id, at) => html`${at === 0 ? "" : ", "}<a href="${link(`/lists/${id}`)}">${names.get(id) ?? id}</a>`)}`;
  return section(
    texts.content,
    definitions([
      [texts.from, await senderOf(visit, content)],
      [texts.lists, listLinks(content.lists, null)],
      [texts.excluded, listLinks(content.excludedLists, texts.nobody)],
      [texts.subject, content.subject],
      [texts.preheader, content.preheader],
      [texts.written, writtenAs(content)],
    ]),
  );
}

async function senderOf(
  { perform, account, link }: CampaignVisit,
  { sender: id }: CampaignContent,
): Promise<Insert> {
  if (id === null) return null;
  try {
    const { sender } = await perform(showSender, { account: account.id, id });
    return html`<a href="${link(`/settings/senders/${id}`)}">${nameOf(sender)}</a>`;
  } catch (error) {
    if (error instanceof NotFound) return texts.gone;
    throw error;
  }
}
