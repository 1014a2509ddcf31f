/** Buttons and links that look like buttons. */
import { type Html, html, trusted } from "../html.ts";
import { type IconName, icon } from "../icons.ts";

/** One action of a page is primary. Actions that destroy something are danger. */
export type Emphasis = "primary" | "plain" | "danger" | "quiet";

export interface Button {
  readonly label: Html | string;
  readonly emphasis?: Emphasis;
  readonly icon?: IconName;
  /** Sent with the form. */
  readonly name?: string;
  readonly value?: string;
  /** Sends the form somewhere else than the form itself says. */
  readonly formAction?: string;
  /** The answer is a file: the browser itself sends the form. */
  readonly isDownload?: boolean;
}

const inner = (label: Html | string, name: IconName | undefined): Html =>
  html`${name === undefined ? null : icon(name)}<span>${label}</span>`;
const classOf = (emphasis: Emphasis = "plain"): string => `button ${emphasis}`;

export const button = ({ label, emphasis, icon: sign, name, value, formAction, isDownload }: Button): Html =>
  html`<button class="${classOf(emphasis)}"${name === undefined ? null : html` name="${name}"`}${
    value === undefined ? null : html` value="${value}"`
  }${formAction === undefined ? null : html` formaction="${formAction}"`}${
    isDownload === true ? trusted(" data-plain") : null
  }>${inner(label, sign)}</button>`;

export interface ButtonLink {
  readonly label: string;
  readonly href: string;
  readonly emphasis?: Emphasis;
  readonly icon?: IconName;
  /** The link is a file to save. */
  readonly isDownload?: boolean;
}

export const buttonLink = ({ label, href, emphasis, icon: sign, isDownload }: ButtonLink): Html =>
  html`<a class="${classOf(emphasis)}" href="${href}"${isDownload === true ? trusted(" download") : null}>${inner(label, sign)}</a>`;

/** Buttons in a row, the most important one first. */
export const buttonRow = (...buttons: readonly Html[]): Html => html`<div class="buttons">${buttons}</div>`;
