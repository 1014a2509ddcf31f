/**
 * Settings of an account, or of the installation: users and the audit log are in both. Each has the same top:
 * a title, and tabs for what the role may see.
 */
import type { Role } from "#domain/access/role.ts";
import type { Account, AccountId } from "#domain/account.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./place.texts.ts";

/** Of a page in an account, or of one that belongs to none. */
export type AnyVisit = Omit<Visit, "account" | "params"> & { readonly account: Account | null };

interface PlaceTab {
  readonly path: string;
  readonly label: string;
  readonly role: Role;
}

const ofAccount: readonly PlaceTab[] = [
  { path: "", label: texts.account, role: "viewer" },
  { path: "/senders", label: texts.senders, role: "viewer" },
  { path: "/blocks", label: texts.blocks, role: "viewer" },
  { path: "/users", label: texts.users, role: "owner" },
  { path: "/tokens", label: texts.tokens, role: "viewer" },
  { path: "/audit-log", label: texts.auditLog, role: "owner" },
];
const ofInstallation: readonly PlaceTab[] = [
  { path: "", label: texts.settingsOfService, role: "administrator" },
  { path: "/users", label: texts.users, role: "administrator" },
  { path: "/audit-log", label: texts.auditLog, role: "administrator" },
  { path: "/jobs", label: texts.jobs, role: "administrator" },
];

export interface Place {
  /** null: the installation. */
  readonly account: AccountId | null;
  /** The address of a page below, such as `at("/users")`. */
  readonly at: (path: string) => string;
  /** The title and the tabs; `current` is the path of the tab. */
  readonly top: (current: string, actions?: readonly Html[]) => Html;
}

export function placeOf({ account, link, may }: Pick<AnyVisit, "account" | "link" | "may">): Place {
  const [root, all] =
    account === null ? ["/installation", ofInstallation] : (["/settings", ofAccount] as const);
  const at = (path: string): string => link(`${root}${path}`);
  const title = account === null ? texts.installation : texts.settings;
  return {
    account: account?.id ?? null,
    at,
    top: (current, actions = []) =>
      html`${pageHeader({
        title,
        description: account === null ? texts.installationDescription : account.name,
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
