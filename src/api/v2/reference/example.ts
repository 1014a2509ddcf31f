/** An example of what a schema describes, and a curl command that sends it. */
import { API_PATH } from "#web/api-path.ts";
import { isStream, type Route } from "../kit/route.ts";

/** The keywords of JSON Schema that the routes use. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-11-16T09:30:00.000Z",
  date: "2026-11-16",
  email: "ada@example.org",
};

/** Optional members are left out, unless they have an example. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case "object": {
      const shown = Object.entries(schema.properties ?? {}).filter(
        ([name, member]) => schema.required?.includes(name) === true || member.examples !== undefined,
      );
      return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member)]));
    }
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return formats[schema.format ?? ""] ?? (schema.pattern === undefined ? "text" : "1");
  }
}

/** For a shell: a text in single quotes cannot contain one. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function neededQuery({ query }: Route): string {
  if (query === undefined) return "";
  const example = exampleOf(query as JsonSchema) as Readonly<Record<string, unknown>>;
  const pairs = Object.entries(example).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/**
 * `base` is the address of the service. The token is in a variable, so that it is not in the shell's history.
 */
export function curlCommand(base: string, route: Route): string {
  const url = `${base}${API_PATH}${route.path.replaceAll(/\{\w+\}/g, "1")}${neededQuery(route)}`;
  const isUsual = route.method === (route.body === undefined ? "GET" : "POST");
  const parts = [
    ["curl", ...(isUsual ? [] : ["-X", route.method]), ...(isStream(route) ? ["-O", "-J"] : []), quoted(url)],
    ...(route.logsIn === undefined ? [["-H", '"Authorization: Bearer $TOKEN"']] : []),
  ];
  const body = route.body as JsonSchema | undefined;
  if (route.takesBytes === true)
    parts.push(["-H", quoted("Content-Type: application/octet-stream"), "--data-binary", "@FILE"]);
  else if (body !== undefined) parts.push(["--json", quoted(JSON.stringify(exampleOf(body)))]);
  return parts.map((words) => words.join(" ")).join(" \\\n  ");
}
