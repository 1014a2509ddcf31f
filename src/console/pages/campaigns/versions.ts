/**
 * `/console/{account}/campaigns/{campaign}/versions`: what a draft said when it was saved, to look at and to
 * restore. A look is the message as the preview of the draft would show it.
 */
import type { NamedActor } from "#admin/actor-names.ts";
import { showContent } from "#admin/campaigns/compose.ts";
import { previewDraft } from "#admin/campaigns/preview.ts";
import {
  KEPT_VERSIONS,
  listVersions,
  restoreVersion,
  type ShownVersion,
  showVersion,
} from "#admin/campaigns/versions.ts";
import { isEditable } from "#domain/sending/mailing.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { codeBlock } from "#html/components/code.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { isolated, quoted } from "#html/names.ts";
import { formOf } from "../../kit/form-html.ts";
import { framed, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";

const whoText = ({ kind, name }: NamedActor): string =>
  kind === "operator"
    ? name === null
      ? "Command line"
      : `${isolated(name)} at the command line`
    : (name ?? kind);

const versionsPage = page({
  path: "/{account}/campaigns/{campaign}/versions",
  role: "editor",
  show: async (context) => {
    const { performHere, formats } = context;
    const { campaign } = await performHere(showContent, ofCampaign(context));
    const versions = await performHere(listVersions, ofCampaign(context));
    const own = addressOf(context, campaign.id);
    return titled(
      {
        title: `Versions of ${quoted(campaign.name)}`,
        parent: { label: campaign.name, href: own },
        description: `The last ${KEPT_VERSIONS} are kept. What the same user saves within ten minutes is one version.`,
      },
      versions.length === 0
        ? html`<p>It was not saved since versions are kept.</p>`
        : table<ShownVersion>({
            caption: "Versions",
            rows: versions,
            columns: [
              {
                label: "Saved",
                cell: ({ number, savedAt }) =>
                  html`<a href="${own}/versions/${number}">${formats.time(savedAt)}</a>`,
              },
              { label: "By", cell: ({ by }) => whoText(by) },
            ],
          }),
    );
  },
});

const PATH = "/{account}/campaigns/{campaign}/versions/{version}";
const ofVersion = (context: PageContext<typeof PATH>) => ({
  ...ofCampaign(context),
  version: context.params.version,
});

async function lookOf(context: PageContext<typeof PATH>) {
  const { performHere } = context;
  const of = ofVersion(context);
  const found = await performHere(showVersion, of);
  const { lists: _lists, excludedLists: _excluded, filter: _filter, ...message } = found.content;
  return {
    found,
    draft: await performHere(previewDraft, {
      ...message,
      ...{ campaign: of.campaign, name: found.campaign.name, to: "sample" },
    }),
  };
}

const versionPage = page({
  path: PATH,
  role: "editor",
  show: async (context) => {
    const { formats, formState, path } = context;
    const { campaign, mailing } = await context.performHere(showContent, ofCampaign(context));
    const { found, draft } = await lookOf(context);
    const own = addressOf(context, campaign.id);
    const { message, faults } = draft;
    const restore = formOf("restore", {
      state: formState("restore"),
      look: "plain",
      body: button({ label: "Restore this version", emphasis: "primary" }),
    });
    return titled(
      {
        title: `Version ${context.params.version} of ${quoted(found.campaign.name)}`,
        parent: { label: "Versions", href: `${own}/versions` },
        description: html`Saved ${formats.time(found.savedAt)}. The message is shown as a sample person would get it.`,
        actions: isEditable(mailing.state)
          ? [restore, buttonLink({ label: "Back to the draft", href: `${own}/edit`, emphasis: "quiet" })]
          : [],
      },
      html`${definitions([
        ["Subject", found.content.subject],
        ["Preheader", found.content.preheader],
      ])}${
        faults.length === 0
          ? null
          : notice("bad", "It cannot be shown", faults.map(({ text }) => text).join(" "))
      }${
        message?.framedHtml == null
          ? null
          : section(
              "Message",
              html`<iframe class="framed" sandbox title="Message" src="${path}/message"></iframe>`,
            )
      }${section("Written as", codeBlock("Written as", found.content.markdown ?? found.content.html ?? found.content.text ?? ""))}`,
    );
  },
  forms: {
    restore: async (context) => {
      const { campaign } = await context.performHere(restoreVersion, ofVersion(context));
      return redirect(`${addressOf(context, campaign.id)}/edit`, "The version is restored.");
    },
  },
});

const versionMessagePage = page({
  path: `${PATH}/message`,
  role: "editor",
  show: async (context) => framed((await lookOf(context)).draft.message?.framedHtml ?? ""),
});

export const versionPages = [versionsPage, versionPage, versionMessagePage];
