/**
 * The steps on standard input, and what came of each as a line of JSON: the same for all of Node's clients.
 */
import { createInterface } from "node:readline";

/** `call` gives back a result; `explain` makes type, code and text of whatever it threw. */
export async function takeSteps(call, explain) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [operation, ...cells] = line.split("\t");
    const parameters = Object.fromEntries(cells.map(pair));
    if (parameters.CustomsFields !== undefined) {
      const pairs = parameters.CustomsFields.split("|").map(pair);
      parameters.CustomsFields = {
        customField: pairs.map(([Customfieldid, Value]) => ({ Customfieldid, Value })),
      };
    }
    console.log(JSON.stringify(await outcome(call, explain, operation, parameters)));
  }
}

async function outcome(call, explain, operation, parameters) {
  try {
    return { result: plain(await call(operation, parameters)) };
  } catch (error) {
    return { fault: { type: error.constructor.name, ...explain(error) } };
  }
}

const pair = (text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];

/** As on the wire: every value a string. */
function plain(value) {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object") return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}
