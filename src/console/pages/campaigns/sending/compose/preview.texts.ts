import { quoted } from "#html/names.ts";

export const title = (called: string): string => `Preview of ${quoted(called)}`;
export const forWhom = "Address of a subscriber";
export const show = "Show";
export const ofSample = "The message as a sample person gets it. Links in it do not work here.";
export const ofPerson = (email: string): string =>
  `The message as ${email} gets it. Links in it do not work here.`;
export const notFound = "The preview cannot be shown";

export const message = "Message";
export const noImages = "Images from other servers are not loaded here.";
export const noHtml = "The message is plain text only.";
export const text = "Plain text";
export const headers = "Headers";
export const size = "Size";
export const sizes = (whole: string, html: string): string => `${whole}, including ${html} of HTML`;
export const problems = "Notes";
export const problem = {
  empty: (field: string): string => `${field} has no value. Add a default: {{ ${field} | default: "…" }}`,
  longLine: (count: string): string =>
    `A line has ${count} characters. Servers that encode the message again may break lines of more than 998.`,
  large: (size: string): string => `The HTML has ${size}. Gmail clips messages at 102 KB.`,
  refused: (field: string): string =>
    `${field} has a value that is not allowed there, such as a link to a script. It is left out.`,
  joinedLinks: (links: string): string =>
    `Two links of the plain text run into each other: ${links} Put a space between them.`,
  smtpUtf8: "The address needs a relay that supports SMTPUTF8.",
} as const;

export const testTitle = "Test message";
export const testDescription = (most: number): string =>
  `Sends the message now, to at most ${most} addresses. Its subject begins with [Test]. A subscriber gets their own message, any other address that of a sample person. A suppressed address is refused.`;
export const to = "Addresses";
export const toHint = "Separated by commas.";
export const send = "Send test";
export const sentTo = (address: string): string => `Sent to ${address}`;
export const notSentTo = (address: string): string => `Not sent to ${address}`;
export const edit = "Edit";
export const next = "Check and send";
export const check = "Check";
