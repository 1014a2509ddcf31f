/** Values of custom fields: what each DataType accepts, and the normalized form that is stored. */
import { createRequire } from "node:module";
import type { CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { parseAddress } from "../address.ts";
import { parseDate } from "../calendar.ts";
import { parseCountry } from "../country.ts";
import { parseGender } from "../subscriber/subscriber.ts";
import { hasAtMost, wordOf } from "../text.ts";
import type { DataType } from "./field.ts";

export const MAX_TEXT_LENGTH = 1000;
const yes = new Set(["true", "1", "yes"]);
const no = new Set(["false", "0", "no"]);

function boolean(text: string): string | null {
  const word = wordOf(text).toLowerCase();
  return yes.has(word) ? "true" : no.has(word) ? "false" : null;
}

/** Stored as decimal text, so that no digit is lost and equal numbers have equal text. */
function number(text: string): string | null {
  const bare = text.trim();
  const match = bare.length <= MAX_TEXT_LENGTH ? /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(bare) : null;
  if (match === null) return null;
  const [, sign, whole = "", fraction = ""] = match;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const decimals = trimZeros(fraction);
  const value = decimals === "" ? digits : `${digits}.${decimals}`;
  return sign === "-" && value !== "0" ? `-${value}` : value;
}

function trimZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === "0") end -= 1;
  return fraction.slice(0, end);
}

/** Control characters, lone surrogates and others that XML cannot represent. */
const UNSPEAKABLE = /(?![\t\n\r\u007f-\u009f])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/** Free text, also for names: unchanged, or null if it is too long or cannot be written as XML. */
export const parseText = (given: string): string | null =>
  hasAtMost(MAX_TEXT_LENGTH, given) && !UNSPEAKABLE.test(given) ? given : null;

/** The tables of all countries take 15 MB, which most installations never need: loaded on first use. */
const require = createRequire(import.meta.url);
const parsePhone: typeof parsePhoneNumberFromString = (...given) =>
  (require("libphonenumber-js/min") as { default: typeof parsePhoneNumberFromString }).default(...given);

function phone(given: string, country: string | null): string | null {
  if (given.length > 100) return null;
  const parsed = parsePhone(given.trim(), {
    ...(country === null ? {} : { defaultCountry: country as CountryCode }),
    extract: false,
  });
  return parsed?.isValid() === true ? parsed.number : null;
}

const parsers: Readonly<Record<DataType, (given: string, country: string | null) => string | null>> = {
  BOOLEAN: boolean,
  CONSENT: boolean,
  PERMISSION: boolean,
  GDPR: boolean,
  REAL: number,
  SCORE: number,
  STRING: parseText,
  ORIGIN: parseText,
  DATE: parseDate,
  EMAIL: (given) => parseAddress(given)?.text ?? null,
  GENDER: parseGender,
  COUNTRY: parseCountry,
  PHONE: phone,
};

/**
 * The normalized value, or null if it is invalid. `country` is that of telephone numbers in national format.
 */
export const parseCustomValue = (type: DataType, given: string, country: string | null): string | null =>
  parsers[type](given, country);

const yesNo = "true or false";
const decimal = "a number such as 4.5";
const text = `at most ${MAX_TEXT_LENGTH} characters`;
/** What a type accepts, for messages. */
export const expectedValue: Readonly<Record<DataType, string>> = {
  BOOLEAN: yesNo,
  CONSENT: yesNo,
  PERMISSION: yesNo,
  GDPR: yesNo,
  REAL: decimal,
  SCORE: decimal,
  STRING: text,
  ORIGIN: text,
  DATE: "a date such as 2026-11-14",
  EMAIL: "an e-mail address",
  GENDER: "M, F or X",
  COUNTRY: "a country such as AR, ARG or 32",
  PHONE: "a telephone number such as +541143210000",
};
