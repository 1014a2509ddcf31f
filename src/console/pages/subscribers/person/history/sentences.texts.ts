/** What happened to a subscriber, in plain sentences. `by` is such as "by the key Shop (f3a9…)". */
import type { ClearableSuppression } from "#domain/subscriber/subscriber.ts";
import { type Html, html } from "#html/html.ts";

export const goneList = (id: number): string => `${id}, which was deleted`;
export const goneCampaign = (id: number): string => `${id}, which was deleted`;

export const joined = (list: Html | string, by: Html): Html => html`Added to the list ${list} ${by}.`;
export const joinedAlone = (list: Html | string, by: Html): Html => html`Joined the list ${list} ${by}.`;
export const left = (list: Html | string, by: Html): Html => html`Removed from the list ${list} ${by}.`;
export const leftAlone = (list: Html | string, by: Html): Html => html`Left the list ${list} ${by}.`;

export const suppressed: Readonly<Record<ClearableSuppression, (by: Html) => Html>> = {
  unsubscribed: (by) => html`Unsubscribed from all lists ${by}.`,
  bounced: (by) => html`The address was marked as bounced ${by}.`,
  complained: (by) => html`A complaint about mail was recorded ${by}.`,
};
export const suppressedIn: Readonly<
  Record<ClearableSuppression, (campaign: Html | string, by: Html) => Html>
> = {
  unsubscribed: (campaign, by) => html`Unsubscribed in the campaign ${campaign}; recorded ${by}.`,
  bounced: (campaign, by) => html`The address bounced in the campaign ${campaign}; recorded ${by}.`,
  complained: (campaign, by) => html`Complained about the campaign ${campaign}; recorded ${by}.`,
};
export const keptFromErasure = {
  unsubscribed: "The address had unsubscribed before the person was erased. That stays in force.",
  bounced: "The address had bounced before the person was erased. That stays in force.",
  complained: "The person had complained before being erased. That stays in force.",
};

export const blocked = (by: Html): Html => html`Blocked by the block list; recorded ${by}.`;
export const blockedBy = (pattern: Html, by: Html): Html =>
  html`Blocked by the pattern ${pattern}, which was added to the block list ${by}.`;
export const unblocked = (by: Html): Html => html`No longer blocked; changed ${by}.`;
export const unblockedBy = (pattern: Html, by: Html): Html =>
  html`No longer blocked: the pattern ${pattern} was removed from the block list ${by}.`;

export const reactivated = (by: Html): Html => html`Reactivated ${by}.`;
export const noLonger = (suppression: string, by: Html): Html =>
  html`No longer ${suppression}: reactivated ${by}.`;
export const reason = (given: string): string => `Reason: ${given}`;

export const changed = (changes: readonly Html[], by: Html): Html =>
  html`${changes.map((change, at) => html`${at === 0 ? "" : at === changes.length - 1 ? " and " : ", "}${change}`)} ${by}.`;
export const nothingNamed = html`Values changed`;
const quoted = (value: string): Html => html`<q>${value}</q>`;
/** The first one begins the sentence. */
export function change(label: string, old: string, value: string): Html {
  if (old === "") return html`${label} set to ${quoted(value)}`;
  if (value === "") return html`${label} removed, which was ${quoted(old)}`;
  return html`${label} changed from ${quoted(old)} to ${quoted(value)}`;
}
export const labels: Readonly<Record<string, string>> = {
  address: "Address",
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};
export const through = (operation: string): string => `Operation ${operation}`;
