/** Content of a page within the frame. */
import type { User } from "#domain/access/user.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState, notice as noticeBox } from "#html/components/feedback.ts";
import { type AccountSwitcher, cardFrame, type Frame, frame } from "#html/frame.ts";
import { html } from "#html/html.ts";
import { linkedAssets, type Theme, themes } from "#html/served-assets.ts";
import { isIn, type Section } from "../../navigation.ts";
import type { Failure } from "../errors.ts";
import type { FormProblems } from "../form.ts";
import { type AccountChoice, type Answer, type Content, content } from "../page.ts";

/** What the frame shows beside the content. */
interface Surroundings {
  /** The path of the service's base address, and that of the console. */
  readonly prefix: string;
  readonly base: string;
  readonly version: string;
  readonly theme: Theme;
  /** Of the page, with its query. */
  readonly path: string;
  /** null: no user is signed in, so there is no navigation either. */
  readonly user: Pick<User, "email" | "name" | "isAdministrator"> | null;
  /** The account of the page, and the accounts to switch to. */
  readonly account: AccountChoice | null;
  readonly accounts: readonly AccountChoice[];
  readonly sections: readonly Section[];
  readonly hasSearch: boolean;
  /** The path of the page as it is declared; null: there is none at the address. */
  readonly pagePath: string | null;
  readonly notice: string | null;
}

export const THEME_PATH = "/theme";
const themeNames: Readonly<Record<Theme, string>> = { auto: "Auto", light: "Light", dark: "Dark" };

const ACCOUNTS_PATH = "/accounts";
/** More would make every page long. */
const MAX_SWITCHED = 50;

export function render(around: Surroundings, { title, body, scripts, searched }: Content): string {
  const { prefix, base, version, user, account, notice, theme, path } = around;
  const shared = {
    title,
    body,
    assets: linkedAssets(prefix, scripts, theme),
    brand: { href: account === null ? base : `${base}/${account.id}` },
    notice: notice === null ? null : noticeBox("good", notice),
    footer: {
      version,
      links: [
        { label: "API reference", href: `${prefix}/api/v2/reference` },
        { label: "SOAP reference", href: `${prefix}/default.asmx` },
      ],
    },
  };
  if (user === null) return cardFrame(shared);
  return frame({
    ...shared,
    navigation: [
      ...(account === null ? choice(around) : navigation(around, account)),
      ...(user.isAdministrator ? [installation(around)] : []),
    ],
    accounts: switcher(around),
    search:
      account === null || !around.hasSearch
        ? null
        : {
            action: `${base}/${account.id}/search`,
            label: "Find an address, list, campaign, key or refused call",
            value: searched ?? "",
          },
    user: {
      name: user.name === "" ? user.email : user.name,
      detail: user.name === "" ? null : user.email,
      links: [{ label: "Your account", href: `${base}/me` }],
      theme: {
        action: `${base}${THEME_PATH}`,
        label: "Appearance",
        back: path,
        choices: themes.map((value) => ({ value, label: themeNames[value], isCurrent: value === theme })),
      },
      signOut: { action: `${base}/sign-out`, label: "Sign out" },
    },
  });
}

const navigation = (
  { base, sections, pagePath }: Surroundings,
  account: AccountChoice,
): Frame["navigation"] => [
  {
    label: null,
    links: sections.map((section) => ({
      label: section.title,
      icon: section.icon,
      href: `${base}/${account.id}${section.path}`,
      isCurrent: pagePath !== null && isIn(section, pagePath),
    })),
  },
];

/** For administrators, on every page. */
const installation = ({ base, pagePath }: Surroundings): Frame["navigation"][number] => ({
  label: "Administration",
  links: [
    {
      label: "Installation",
      icon: "installation",
      href: `${base}/installation`,
      isCurrent: pagePath?.startsWith("/installation") === true,
    },
  ],
});

/** Outside of an account: the way to one. */
const choice = ({ base, pagePath }: Surroundings): Frame["navigation"] => [
  {
    label: null,
    links: [
      {
        label: "Accounts",
        icon: "lists",
        href: `${base}${ACCOUNTS_PATH}`,
        isCurrent: pagePath === ACCOUNTS_PATH,
      },
    ],
  },
];

function switcher({ base, user, account, accounts }: Surroundings): AccountSwitcher | null {
  if (accounts.length === 0) return null;
  return {
    current: account?.name ?? "Choose an account",
    accounts: accounts.slice(0, MAX_SWITCHED).map(({ id, name }) => ({
      label: name,
      href: `${base}/${id}`,
      isCurrent: id === account?.id,
    })),
    // There, an administrator creates another one.
    all:
      accounts.length > 1 || user?.isAdministrator === true
        ? { label: "All accounts", href: `${base}${ACCOUNTS_PATH}` }
        : null,
  };
}

/** A page that does not show the form any more, such as after a double click, still says what was wrong. */
export function withProblems(answer: Answer, { message, fields }: FormProblems): Answer {
  if (answer.kind !== "content") return answer;
  const { body } = answer;
  const unsaid = [message, ...Object.values(fields)].filter(
    (text) => text !== null && !body.html.includes(html`${text}`.html),
  );
  if (unsaid.length === 0) return answer;
  return { ...answer, body: html`${noticeBox("bad", unsaid.join(" "))}${body}` };
}

/** `home`: where the user goes on. The script shows only the title and the text where a form was sent. */
export const failureContent = ({ title, text, status }: Failure, home: string): Content =>
  content(
    title,
    html`<h1 class="visually-hidden" data-failure="${text}">${title}</h1>${emptyState({
      title,
      text,
      icon: status === 404 ? "search" : status === 403 ? "block" : "warning",
      actions: [buttonLink({ label: "Go to the overview", href: home })],
    })}`,
  );
