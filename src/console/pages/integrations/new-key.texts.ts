import { quoted } from "#html/names.ts";
import { SNIPPET_EMAIL } from "./snippets.ts";

export const title = "New API key";
export const name = "What is it for?";
export const namePlaceholder = "e.g. Web shop";
export const nameHint = "Shown here, and in the history of the subscribers that the program changes.";
export const scope = "What may it do?";
export const full = "Read and write";
export const fullHint = "Add and unsubscribe people, create fields, read lists and campaigns.";
export const read = "Read only";
export const readHint =
  "Read lists, fields and campaigns. Calls that would change something get the fault NotAllowed.";
export const expires = "Last day";
export const expiresHint = (zone: string): string =>
  `In the time zone ${zone}. Without a date, the key works until it is revoked.`;
export const existing = "Existing key";
export const existingHint =
  "A key that your programs already use with another service. They then only need the new address. If empty, Mailroll makes a new key.";
export const create = "Create the key";
export const notADate = "Choose a date.";
export const unknownScope = "Choose what the key may do.";

export const createdTitle = (key: string): string => `The key ${quoted(key)} is ready`;
export const secret = "The API key";
export const secretAdvice = "Copy it now: it is not stored, and is never shown again.";
export const existingAdvice = "It works from now on. It is not stored, and is never shown again.";
export const snippets = "Example program";
export const adds = (list: string): string =>
  `It adds the address ${SNIPPET_EMAIL} to the list ${quoted(list)}. It contains the key: send it over a safe channel.`;
export const lists = "It shows the lists of the account. It contains the key: send it over a safe channel.";
export const noList =
  "The account has no list yet, so it only shows that there is none. It contains the key: send it over a safe channel.";
export const languages = "Language";
export const saveAs = (file: string): string => `Save it as ${file} and run:`;
export const commands = (language: string): string => `Commands for ${language}`;
export const code = (language: string): string => `Program in ${language}`;
export const wsdl = "Address of the WSDL";
export const done = "Go to the key";
export const help = "All operations";
