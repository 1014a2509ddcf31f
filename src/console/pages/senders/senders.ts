/** `/console/{account}/settings/senders`: who campaigns are from. */

import { listSenders } from "#admin/senders/senders.ts";
import type { CheckedSubject, FindingState } from "#domain/sending/finding.ts";
import { relayPlace, writesToFiles } from "#domain/sending/relay.ts";
import type { Sender, Signing } from "#domain/sending/sender.ts";
import { badge } from "#html/components/badge.ts";
import { html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { isEmpty, newLinks, pagedTable } from "../../kit/listing.ts";
import type { ConsoleOptions } from "../../kit/options.ts";
import { page } from "../../kit/page.ts";
import { writtenBadge } from "../campaigns/state.ts";
import { settingsContent } from "../settings/settings-header.ts";

export const signings: Readonly<Record<Signing, string>> = {
  mailroll: "Mailroll",
  relay: "The relay",
  none: "Nobody",
};
export const subjects: Readonly<Record<CheckedSubject, string>> = {
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "DMARC",
  mx: "MX",
  relay: "Relay",
};
export const states: Readonly<Record<FindingState, string>> = {
  ok: "OK",
  note: "Note",
  missing: "Missing",
  wrong: "Wrong",
  unknown: "No answer",
};
export const sendersTexts = {
  title: "Senders",
  installationRelay: "The relay of the installation",
};

const PATH = "/{account}/settings/senders";
const PAGE = 100;

/** Its name, or its address if it has none. */
export const nameOf = ({ fromName, fromAddress }: Sender): string =>
  fromName === "" ? fromAddress : `${isolated(fromName)} <${fromAddress}>`;

/** What the relay of the installation is at present; null: messages are written to files. */
export const installationPlace = ({ mail }: Pick<ConsoleOptions, "mail">): string | null =>
  mail === undefined ? null : relayPlace(mail.defaultRelay);
export const isWritten = ({ relays }: Sender, { mail }: Pick<ConsoleOptions, "mail">): boolean =>
  mail !== undefined && writesToFiles(relays, mail);

export const sendersPage = (options: Pick<ConsoleOptions, "mail">) =>
  page({
    path: PATH,
    role: "viewer",
    show: async (context) => {
      const { formats, link, may } = context;
      const create = newLinks(context, "owner", "/settings/senders/provider");
      const found = await context.list(listSenders, { limit: PAGE });
      const body = pagedTable(context, found, {
        caption: sendersTexts.title,
        href: ({ id }) => link(`/settings/senders/${id}`),
        columns: [
          {
            label: "From",
            cell: ({ fromName, fromAddress }) => (fromName === "" ? fromAddress : isolated(fromName)),
            detail: ({ fromName, fromAddress }) =>
              fromName === "" ? null : html`<span>${fromAddress}</span>`,
          },
          { label: "Signed by", cell: signedBy },
          {
            label: "Relays",
            cell: (row) => (isWritten(row, options) ? writtenBadge : relaysOf(row)),
          },
          {
            label: "Limit per day",
            cell: ({ perDay }) => (perDay === null ? "None" : formats.number(perDay)),
            isNumber: true,
          },
          { label: "Created", cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
        ],
        text: (count) => formats.count(count, "sender"),
        empty: {
          title: "No senders yet",
          text: may("owner")
            ? "Create a sender before you send your first campaign."
            : "A user with the role owner can create senders.",
          icon: "mail",
          actions: create("Create a sender"),
        },
      });
      return settingsContent(
        context,
        "/senders",
        sendersTexts.title,
        html`<p class="description">A sender says who a campaign is from, through which mail server it goes, and how it is signed.</p>
${body}`,
        isEmpty(found) ? [] : create("New sender"),
      );
    },
  });

const signedBy = ({ signing }: Sender): Insert =>
  signing === "none" ? badge(signings.none, "warning") : signings[signing];
const relaysOf = ({ relays }: Sender): string =>
  relays.length === 0 ? sendersTexts.installationRelay : relays.map(({ url }) => url).join(", ");
