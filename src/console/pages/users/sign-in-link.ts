/** A link with which a user signs in. It is shown once. */
import { linkUser } from "#admin/users/sign-in.ts";
import type { User } from "#domain/access/user.ts";
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { secret } from "#html/components/code.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { CONSOLE_PATH } from "../../console-path.ts";
import { type Content, content } from "../../kit/page.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import * as texts from "./users.texts.ts";

/** Makes the link, for the reply to a form. */
export async function shownLink(
  visit: AnyVisit,
  { id, email, totpSince }: Pick<User, "id" | "email" | "totpSince">,
): Promise<Content> {
  const { perform, formats, serviceAddress } = visit;
  const place = placeOf(visit);
  const created = await perform(linkUser, { account: place.account, id });
  const address = `${serviceAddress}${CONSOLE_PATH}/link?token=${created.secret}`;
  const back = place.at(`/users/${id}`);
  return content(
    texts.linkTitle,
    html`${pageHeader({ title: texts.linkTitle, parent: { label: email, href: back } })}
${secret(texts.linkFor(email), address, texts.linkAdvice(formats.dateTime(created.expiresAt)))}
${totpSince === null ? null : html`<p>${texts.linkNeedsCode}</p>`}
${buttonRow(buttonLink({ label: texts.done, href: back, emphasis: "primary" }))}`,
  );
}
