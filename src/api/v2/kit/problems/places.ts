/** Where the errors of a request are, in the words of a problem document. */
import type { FastifyError } from "fastify";

import type { Route } from "../route.ts";

/**
 * Where an error is: a place in the body as a JSON Pointer, a parameter of the URL, or a header. Empty: there
 * is no smaller place than the whole body, such as in the bytes of a file.
 */
export type Place =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
  | Readonly<Record<never, never>>;

/** A name within a JSON Pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const hasMember = (schema: unknown, name: string): boolean =>
  Object.hasOwn((schema as { readonly properties?: object } | undefined)?.properties ?? {}, name);

const isParameter = (name: string, route: Route | undefined): boolean =>
  hasMember(route?.query, name) || route?.path.includes(`{${name}}`) === true;

/** Whether the request has such an input at all. */
export function hasInput(input: string, route: Route | undefined): boolean {
  const name = route?.inputs?.[input] ?? input;
  return isParameter(name, route) || hasMember(route?.body, name.split("/")[0] ?? "");
}

/** Where the request has an input of the action, and how a sentence names it. */
export function placeOf(
  input: string,
  route: Route | undefined,
): { readonly name: string; readonly place: Place } {
  const name = route?.inputs?.[input] ?? input;
  if (isParameter(name, route)) return { name, place: { parameter: name } };
  if (route?.takesBytes === true) return { name, place: {} };
  return { name, place: { pointer: `#/${name.split("/").map(escaped).join("/")}` } };
}

const MAX_SHOWN = 100;
const formats: Readonly<Record<string, string>> = {
  date: "is not a date such as 2026-11-01",
  "date-time": "is not a time such as 2026-11-01T09:30:00Z",
};

type Found = NonNullable<FastifyError["validation"]>;
/** Of a value that may also be null, ajv reports that it is not null, and that no alternative fits. */
const withoutAlternatives = (found: Found): Found => {
  const telling = found.filter(
    ({ keyword, params }) => keyword !== "anyOf" && !(keyword === "type" && params.type === "null"),
  );
  return telling.length === 0 ? found : telling;
};

/** A body may be wrong in many places. */
const MAX_PLACES = 100;

/** What ajv has found, each with its place; of several errors in one place, the first. */
export function wrongPlaces(
  found: Found,
  context: FastifyError["validationContext"],
): readonly (Place & { readonly detail: string })[] {
  const byPlace = new Map<string, Place & { readonly detail: string }>();
  for (const one of withoutAlternatives(found)) {
    const wrong = wrongPlace(one, context);
    const place = "pointer" in wrong ? wrong.pointer : wrong.parameter;
    if (!byPlace.has(place)) byPlace.set(place, wrong);
    if (byPlace.size === MAX_PLACES) break;
  }
  return [...byPlace.values()];
}

function wrongPlace(
  { instancePath, keyword, params, message: text = "" }: Found[number],
  context: FastifyError["validationContext"],
): ({ readonly pointer: string } | { readonly parameter: string }) & { readonly detail: string } {
  const undeclared = params.additionalProperty;
  const missing = params.missingProperty;
  const tag = keyword === "discriminator" ? params.tag : undefined;
  const last =
    typeof tag === "string"
      ? tag
      : typeof undeclared === "string"
        ? undeclared
        : typeof missing === "string"
          ? missing
          : null;
  const isBody = context === "body";
  const shown = (last ?? "").slice(0, MAX_SHOWN);
  const path = last === null ? instancePath : `${instancePath}/${isBody ? escaped(shown) : shown}`;
  const detail =
    keyword === "additionalProperties"
      ? "is not known"
      : keyword === "required"
        ? "is missing"
        : keyword === "enum"
          ? `must be one of ${(params.allowedValues as readonly unknown[]).join(", ")}`
          : keyword === "discriminator"
            ? "is not one of the kinds that the reference lists"
            : keyword === "pattern" && context === "params"
              ? "is not an id"
              : keyword === "format"
                ? (formats[String(params.format)] ?? text)
                : text;
  return isBody ? { pointer: `#${path}`, detail } : { parameter: path.replace(/^\//, ""), detail };
}
