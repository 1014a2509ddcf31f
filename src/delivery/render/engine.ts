/**
 * Liquid with limits: a few tags and filters, no files, no prototypes, and bounds on time, memory and output.
 * `authorEngine` parses what authors wrote. `finalEngine` also knows the filters that escape outputs; they
 * are added to each output when a template is prepared, so an author can neither call nor avoid them.
 */
import { type Context, Liquid, type LiquidOptions } from "liquidjs";
import { escapeFor, escapeHtml, type Place, places } from "./escape.ts";

export const MAX_SOURCE_LENGTH = 300_000;
/** Tags and outputs: Liquid searches the line of each from the start. */
export const MAX_PIECES = 2000;
export const MAX_OUTPUT_LENGTH = 500_000;
export const MAX_MEMORY = 1_000_000;
/** For all Liquid of a part of one message. */
const MAX_RENDER_MS = 1000;

/** Without `raw`: what it contains would be neither checked nor escaped. */
export const tagNames = [
  ..."assign if elsif else endif unless endunless case when endcase for endfor break continue".split(" "),
  ..."comment endcomment #".split(" "),
];
export const filterNames = [
  ..."default upcase downcase capitalize strip lstrip rstrip truncate truncatewords append prepend".split(
    " ",
  ),
  ..."replace replace_first remove remove_first slice split join first last size reverse sort uniq".split(
    " ",
  ),
  ..."plus minus times divided_by modulo round ceil floor abs at_least at_most date".split(" "),
  ..."url_encode escape escape_once".split(" "),
];

/** Fulfils an option that the types do not allow to be left out: there are no files. */
const noFiles = { templates: {} } satisfies LiquidOptions;
const options: LiquidOptions = {
  ...noFiles,
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  relativeReference: false,
  dynamicPartials: false,
  timezoneOffset: 0,
  locale: "en",
  preserveTimezones: true,
  parseLimit: 2 * MAX_SOURCE_LENGTH,
  memoryLimit: MAX_MEMORY,
};

function limitedEngine(more: LiquidOptions): Liquid {
  const engine = new Liquid({ ...options, ...more });
  for (const name of Object.keys(engine.tags)) if (!tagNames.includes(name)) delete engine.tags[name];
  for (const name of Object.keys(engine.filters))
    if (!filterNames.includes(name)) delete engine.filters[name];
  // Every output is escaped anyway; twice would show entities.
  for (const name of ["escape", "escape_once"]) engine.registerFilter(name, (value: unknown) => value);
  return engine;
}

export class RenderTimeExceeded extends Error {}
/**
 * Ends what takes too long. Counts the time for which this thread computed, not the time that passed: nobody
 * may miss a message because the machine stood still.
 */
class RenderTime {
  readonly #before = process.threadCpuUsage();
  #nextCheck = performance.now() + MAX_RENDER_MS;

  check(now: number): void {
    if (now < this.#nextCheck) return;
    const { user, system } = process.threadCpuUsage(this.#before);
    const leftMs = MAX_RENDER_MS - (user + system) / 1000;
    if (leftMs <= 0)
      throw new RenderTimeExceeded(
        `It takes longer than ${MAX_RENDER_MS / 1000} second to render. Make it simpler.`,
      );
    this.#nextCheck = now + leftMs;
  }
}
/** Liquid has no setting for a limit other than one of the time that passed. */
export function limitRenderTime(context: Context): void {
  context.renderLimit = new RenderTime() as unknown as Context["renderLimit"];
}

/** An output that was escaped for its place. */
class Escaped {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** Where a rendering collects the merge fields that were empty: a set. */
export const EMPTY_FIELDS = "emptyFields";

export const textOf = (value: unknown): string => {
  const plain = typeof value === "object" && value !== null ? value.valueOf() : value;
  if (Array.isArray(plain)) return plain.map(textOf).join("");
  return typeof plain === "string" || typeof plain === "number" || typeof plain === "boolean"
    ? String(plain)
    : "";
};

export const authorEngine = limitedEngine({});
export const finalEngine = limitedEngine({
  outputEscape: (value) => (value instanceof Escaped ? value.text : escapeHtml(textOf(value))),
});

/**
 * `{{ first_name | _text: "first_name" }}`: the argument is the merge field without a default, if it is one.
 */
const filterOf = (place: Place): string => `_${place.replaceAll(" ", "_")}`;
export const escapingFilter = (place: Place, field: string | null): string =>
  field === null ? ` | ${filterOf(place)}` : ` | ${filterOf(place)}: "${encodeURIComponent(field)}"`;
export const placeOfFilter = (filter: string): Place | null =>
  places.find((place) => filterOf(place) === filter) ?? null;
for (const place of places) {
  const escapeValue = escapeFor[place];
  finalEngine.registerFilter(filterOf(place), function (value: unknown, field?: string) {
    const text = textOf(value);
    if (text === "" && field !== undefined)
      (this.context.getRegister(EMPTY_FIELDS) as Set<string>).add(decodeURIComponent(field));
    return new Escaped(escapeValue(text));
  });
}
