/**
 * Settings of an account, or of the installation: users and the audit log are in both. Each has the same top:
 * a title, and tabs for what the role may see.
 */
import type { Role } from "#domain/access/user.ts";
import type { Account, AccountId } from "#domain/account.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import type { PageContext } from "../../kit/page.ts";

export const settings = "Settings";

/** Of a page in an account, or outside of accounts. */
export type AnyPageContext = Omit<PageContext, "account" | "params"> & { readonly account: Account | null };

interface PlaceTab {
  readonly path: string;
  readonly label: string;
  readonly role: Role;
}

const ofAccount: readonly PlaceTab[] = [
  { path: "", label: "Account", role: "viewer" },
  { path: "/senders", label: "Senders", role: "viewer" },
  { path: "/blocks", label: "Block list", role: "viewer" },
  { path: "/users", label: "Users", role: "owner" },
  { path: "/tokens", label: "Tokens", role: "viewer" },
  { path: "/audit-log", label: "Audit log", role: "owner" },
];
const ofInstallation: readonly PlaceTab[] = [
  { path: "", label: "Settings", role: "administrator" },
  { path: "/users", label: "Users", role: "administrator" },
  { path: "/audit-log", label: "Audit log", role: "administrator" },
  { path: "/jobs", label: "Jobs", role: "administrator" },
];

interface SettingsHeader {
  /** null: the installation. */
  readonly account: AccountId | null;
  /** The address of a page below, such as `at("/users")`. */
  readonly at: (path: string) => string;
  /** The title and the tabs; `current` is the path of the tab. */
  readonly top: (current: string, actions?: readonly Html[]) => Html;
}

export function settingsHeader({
  account,
  link,
  may,
}: Pick<AnyPageContext, "account" | "link" | "may">): SettingsHeader {
  const [root, all] =
    account === null ? ["/installation", ofInstallation] : (["/settings", ofAccount] as const);
  const at = (path: string): string => link(`${root}${path}`);
  const title = account === null ? "Installation" : settings;
  return {
    account: account?.id ?? null,
    at,
    top: (current, actions = []) =>
      html`${pageHeader({
        title,
        description: account === null ? "Applies to all accounts. Only administrators see it." : account.name,
        actions,
      })}
${tabs(
  title,
  all
    .filter(({ role }) => may(role))
    .map(({ path, label }) => ({ label, href: at(path), isCurrent: path === current })),
)}`,
  };
}
