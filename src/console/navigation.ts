/** The sections of an account, in the order of the navigation. */

export interface Section {
  /** Below the account: the path of its first page; empty for the overview. */
  readonly path: string;
  readonly title: string;
}

export const sections: readonly Section[] = [
  { path: "", title: "Overview" },
  { path: "/lists", title: "Lists" },
  { path: "/subscribers", title: "Subscribers" },
  { path: "/imports", title: "Import" },
  { path: "/fields", title: "Fields" },
  { path: "/campaigns", title: "Campaigns" },
  { path: "/refused-calls", title: "Refused calls" },
  { path: "/integrations", title: "Integrations" },
  { path: "/settings", title: "Settings" },
];

/** Whether a page of this path (as it is declared) belongs to the section. */
export const isIn = ({ path }: Section, pagePath: string): boolean => {
  const below = pagePath.replace(/^\/\{account\}/, "");
  return path === "" ? below === "" : below === path || below.startsWith(`${path}/`);
};
