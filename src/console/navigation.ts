/** The sections of an account, in the order of the navigation. */
import type { IconName } from "#html/icons.ts";

export interface Section {
  /** Below the account: the path of its first page; empty for the overview. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** Pages that it also has, although their paths are not below its own. */
  readonly also?: string;
}

export const sections: readonly Section[] = [
  { path: "", title: "Overview", icon: "overview" },
  { path: "/lists", title: "Lists", icon: "lists" },
  { path: "/subscribers", title: "Subscribers", icon: "people" },
  { path: "/imports", title: "Import", icon: "import" },
  { path: "/fields", title: "Fields", icon: "fields" },
  { path: "/campaigns", title: "Campaigns", icon: "campaigns" },
  { path: "/refused-calls", title: "Refused calls", icon: "refused" },
  { path: "/integrations", title: "Integrations", icon: "integrations" },
  { path: "/settings", title: "Settings", icon: "settings", also: "/jobs" },
];

/** Whether a page of this path (as it is declared) belongs to the section. */
export const isIn = ({ path, also = path }: Section, pagePath: string): boolean => {
  const below = pagePath.replace(/^\/\{account\}/, "");
  if (path === "") return below === "";
  return [path, also].some((one) => below === one || below.startsWith(`${one}/`));
};
