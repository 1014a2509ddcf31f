/**
 * Settings of an account, or of the installation: users and the audit log are in both. Each has the same top:
 * a title, and tabs for what the role may see.
 */
import type { Role } from "#domain/access/user.ts";
import type { Account } from "#domain/account.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { type Content, content, type PageContext } from "../../kit/page.ts";

export const settings = "Settings";

/** Of a page in an account, or outside of accounts. */
export type AnyPageContext = Omit<PageContext, "account" | "params"> & { readonly account: Account | null };

interface PlaceTab {
  readonly path: string;
  readonly label: string;
  readonly role: Role;
}

/** In an account, jobs are not below the settings: many pages and mails lead to them. */
const JOBS = "/jobs";

const ofAccount: readonly PlaceTab[] = [
  { path: "", label: "Account", role: "viewer" },
  { path: "/senders", label: "Senders", role: "viewer" },
  { path: "/blocks", label: "Block list", role: "viewer" },
  { path: "/users", label: "Users", role: "owner" },
  { path: "/tokens", label: "Tokens", role: "viewer" },
  { path: "/audit-log", label: "Audit log", role: "owner" },
  { path: JOBS, label: "Jobs", role: "viewer" },
];
const ofInstallation: readonly PlaceTab[] = [
  { path: "", label: "Settings", role: "administrator" },
  { path: "/users", label: "Users", role: "administrator" },
  { path: "/audit-log", label: "Audit log", role: "administrator" },
  { path: "/jobs", label: "Jobs", role: "administrator" },
];

/** The address of a page of the settings, such as `settingsLink(context, "/users")`. */
export const settingsLink = (
  { account, link }: Pick<AnyPageContext, "account" | "link">,
  path: string,
): string => link(`${account === null ? "/installation" : path === JOBS ? "" : "/settings"}${path}`);

/** A page below the title and the tabs; `current` is the path of its tab. */
export function settingsContent(
  context: Pick<AnyPageContext, "account" | "link" | "may">,
  current: string,
  title: string,
  body: Html,
  actions: readonly Html[] = [],
): Content {
  const { account, may } = context;
  const [heading, description, all] =
    account === null
      ? ["Installation", "Applies to all accounts. Only administrators see it.", ofInstallation]
      : ([settings, account.name, ofAccount] as const);
  const shown = all
    .filter(({ role }) => may(role))
    .map(({ path, label }) => ({
      ...{ label, href: settingsLink(context, path), isCurrent: path === current },
    }));
  return content(
    title,
    html`${pageHeader({ title: heading, description, actions })}
${tabs(heading, shown)}
${body}`,
  );
}
