/** What pages about errors say. */
import type { FaultCode } from "#contract/faults.ts";

export const notFoundTitle = "Not found";
export const noSuchPage =
  "There is no page at this address. Check it for typing errors; or what it showed was deleted.";
export const forbiddenTitle = "Not allowed";
export const crossSiteTitle = "The request did not come from the console";
export const crossSite =
  "The request was not sent by a page of this console, so nothing was done. Open the console and do it there. " +
  "If you are behind a proxy, it must pass the Host header on, or the setting base-url must be the address in your browser.";
export const invalidTitle = "Invalid request";
export const invalidRequest = "The request is not valid. Go back, open the page again and repeat it.";
export const notPossibleTitle = "This cannot be done now";
export const unavailableTitle = "The database does not answer";
export const defectTitle = "Something went wrong on our side";
export const defect = (reference: string): string =>
  `The page could not be shown. Details are in the log of the service, with the reference ${reference}.`;
export const outdated =
  "Somebody else has changed this since you opened the page, so nothing was saved. The form still has what you typed: " +
  "to replace the other change, save again; to see it, open the page again.";
export const sentTwice =
  "This form was sent twice, and executed once. The secret was in the first reply, and cannot be shown again. " +
  "If you have not seen it, revoke what was created, and create another one.";

export const unreadableFilterTitle = "This search cannot be repeated";
export const unreadableFilter =
  "The search in the address is not one of this page, or it was made by another installation. Open the page without it and search again.";
export const filterTooLong = "This is too long to search for. Shorten it.";

const faultTitles: Partial<Record<FaultCode, string>> = {
  Throttled: "Too many requests",
  TooLarge: "This is too large",
  Unavailable: unavailableTitle,
};
export const faultTitle = (code: FaultCode): string => faultTitles[code] ?? invalidTitle;
