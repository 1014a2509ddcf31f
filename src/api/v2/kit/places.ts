/** Where the errors of a request are, in the words of a problem document. */
import type { FastifyError } from "fastify";

/** Where an error is: a place in the body as a JSON Pointer, a parameter of the URL, or a header. */
export type Place =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string };

/** A name within a JSON Pointer. */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
export const pointerTo = (name: string): Place => ({ pointer: `#/${escaped(name)}` });

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

/** What ajv has found, each with its place. */
export function wrongPlaces(
  found: Found,
  context: FastifyError["validationContext"],
): readonly (Place & { readonly detail: string })[] {
  return withoutAlternatives(found).map(({ instancePath, keyword, params, message: text = "" }) => {
    const undeclared = params.additionalProperty;
    const missing = params.missingProperty;
    const last = typeof undeclared === "string" ? undeclared : typeof missing === "string" ? missing : null;
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
            : keyword === "pattern" && context === "params"
              ? "is not an id"
              : keyword === "format"
                ? (formats[String(params.format)] ?? text)
                : text;
    const place: Place = isBody ? { pointer: `#${path}` } : { parameter: path.replace(/^\//, "") };
    return { ...place, detail };
  });
}
