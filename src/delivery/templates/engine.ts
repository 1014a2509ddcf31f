/**
 * Liquid with limits: a few tags and filters, no files, no prototypes, and bounds on time, memory and output.
 * `authorEngine` parses what authors wrote. `finalEngine` also knows the filters that escape outputs; they
 * are added to each output when a template is prepared, so an author can neither call nor avoid them.
 */
import { Context, Liquid, type LiquidOptions, type Template } from "liquidjs";
import { allowOnly, boundRanges, operators } from "./allowed-liquid.ts";
import { type EscapeContext, escapeContexts, escapeFor, escapeHtml } from "./escape.ts";

export const MAX_SOURCE_LENGTH = 300_000;
/** Tags and outputs: Liquid searches the line of each from the start. */
export const MAX_PIECES = 2000;
export const MAX_OUTPUT_LENGTH = 500_000;
export const MAX_MEMORY = 1_000_000;
/** For all Liquid of one message. */
const MAX_RENDER_MS = 1000;

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
  operators,
  parseLimit: 2 * MAX_SOURCE_LENGTH,
  memoryLimit: MAX_MEMORY,
};

function limitedEngine(more: LiquidOptions): Liquid {
  const engine = new Liquid({ ...options, ...more });
  allowOnly(engine);
  return engine;
}

export class RenderTimeExceeded extends Error {}
/**
 * Ends what takes too long. Counts the time for which this thread computed, not the time that passed: nobody
 * may miss a message because the machine stood still.
 */
export class RenderTime {
  /** Since its first check: a message without Liquid does not need to know. */
  #before: NodeJS.CpuUsage | null = null;
  #nextCheck = 0;

  check(now: number): void {
    if (now < this.#nextCheck) return;
    if (this.#before === null) {
      this.#before = process.threadCpuUsage();
      this.#nextCheck = now + MAX_RENDER_MS;
      return;
    }
    const { user, system } = process.threadCpuUsage(this.#before);
    const leftMs = MAX_RENDER_MS - (user + system) / 1000;
    if (leftMs <= 0)
      throw new RenderTimeExceeded(
        `It takes longer than ${MAX_RENDER_MS / 1000} second to render. Make it simpler.`,
      );
    this.#nextCheck = now + leftMs;
  }
}
/** An output that was escaped for its context. */
class Escaped {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** Merge fields and other outputs that show nothing: they are empty, or not allowed where they stand. */
export type Unshown = Map<string, "empty" | "refused">;
/** Where a rendering collects them. */
const UNSHOWN = "unshown";

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

/** Throws what Liquid throws. */
export function parseFinal(source: string): Template[] {
  const templates = finalEngine.parse(source);
  boundRanges(templates);
  return templates;
}

/** For one rendering of a part. The time is checked before each value that a template reads. */
export class RenderContext extends Context {
  constructor(scope: object, unshown: Unshown, time: RenderTime) {
    super(scope, finalEngine.options, { sync: true }, { liquid: finalEngine });
    // Liquid has no setting for a limit other than one of the time that passed.
    this.renderLimit = time as unknown as Context["renderLimit"];
    this.setRegister(UNSHOWN, unshown);
  }
  override *_get(...path: Parameters<Context["_get"]>): IterableIterator<unknown> {
    this.renderLimit.check(performance.now());
    return yield* super._get(...path);
  }
}

/**
 * `{{ first_name | _text: "first_name" }}`: the argument is the merge field without a default, if it is one.
 */
const filterOf = (context: EscapeContext): string => `_${context.replaceAll(" ", "_")}`;
export const escapingFilter = (context: EscapeContext, field: string | null): string =>
  field === null ? ` | ${filterOf(context)}` : ` | ${filterOf(context)}: "${encodeURIComponent(field)}"`;
export const contextOfFilter = (filter: string): EscapeContext | null =>
  escapeContexts.find((context) => filterOf(context) === filter) ?? null;
for (const context of escapeContexts) {
  const escapeValue = escapeFor[context];
  finalEngine.registerFilter(filterOf(context), function (value: unknown, field?: string) {
    const text = textOf(value);
    const escaped = escapeValue(text);
    if (escaped === "" && field !== undefined) {
      const unshown = this.context.getRegister(UNSHOWN) as Unshown;
      unshown.set(decodeURIComponent(field), text === "" ? "empty" : "refused");
    }
    return new Escaped(escaped);
  });
}
