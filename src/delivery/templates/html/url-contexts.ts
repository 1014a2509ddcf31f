/**
 * Finds where the merge fields of a URL stand, for all branches of its Liquid, so that a value can choose
 * neither the scheme nor the host of a link that the author has begun. A merge field that is the whole URL,
 * or its start before a path, may be any link; every other one is a part, and is encoded.
 */
import type { EscapeContext } from "../escape.ts";
import { resolveEntities } from "./scan.ts";

/** A piece of Liquid; positions are within the value. */
interface UrlPiece {
  readonly from: number;
  readonly to: number;
  readonly isOutput: boolean;
  readonly tag: string;
}
interface UrlProblem {
  /** Of the value. */
  readonly position: number;
  readonly message: string;
}

/**
 * How far a URL has been read. `any link`, `part of a name` and `part of the host` follow a merge field; `at
 * host` is before the first character of the host. A string that starts with `:` is a word which may yet be a
 * scheme.
 */
type State =
  | "start"
  | "slash"
  | "at host"
  | "host"
  | "rest"
  | "any link"
  | "part of a name"
  | "start of the host"
  | "part of the host"
  | "dot in the host"
  | `:${string}`;

const WHOLE =
  "A merge field at the start of a link must be the whole link, or be followed by /, ? or #. Write the start of the link, such as https://shop.example.org/, before it.";
const HOST = "A merge field cannot be the end of a host. Put a / before it.";
const NAME = "A merge field cannot be a part of what is before the colon of a link. Write it out.";
const LOOP = "A loop cannot be inside of a link. Put it around the whole element.";
const INCOMPLETE = "Complete the entity before the merge field, such as &#58;.";
const CONDITIONS = "The link has too many conditions. Make it simpler.";
const MAX_STATES = 100;

const refusedSchemes = new Set(["javascript", "vbscript", "data"]);
const hostSchemes = new Set(["http", "https", "ftp"]);
const IMAGE_DATA = ":data:image/";
const MAX_SCHEME = 40;
const refusal = (scheme: string): string => `A link cannot start with "${scheme}:". Remove it.`;

class Refused extends Error {}

function afterWord(word: `:${string}`, character: string): State {
  if (word.startsWith(":data:")) {
    const next = `${word}${character.toLowerCase()}` as const;
    if (!IMAGE_DATA.startsWith(next)) throw new Refused(refusal("data"));
    return next === IMAGE_DATA ? "rest" : (next as State);
  }
  const scheme = word.slice(1);
  if (character === ":") {
    if (scheme === "data") return ":data:";
    if (refusedSchemes.has(scheme)) throw new Refused(refusal(scheme));
    return hostSchemes.has(scheme) ? "at host" : "rest";
  }
  return /[a-z0-9+.-]/i.test(character) && word.length < MAX_SCHEME
    ? `${word}${character.toLowerCase()}`
    : "rest";
}

function afterCharacter(state: State, character: string): State {
  // Browsers delete these anywhere.
  if (/[\t\n\r]/.test(character)) return state;
  const isSlash = character === "/" || character === "\\";
  const endsHost = isSlash || character === "?" || character === "#";
  switch (state) {
    case "start":
      if (character <= " ") return state;
      if (isSlash) return "slash";
      return /[a-z]/i.test(character) ? `:${character.toLowerCase()}` : "rest";
    case "slash":
      return isSlash ? "at host" : "rest";
    case "at host":
      if (isSlash) return state;
      return endsHost ? "rest" : "host";
    case "host":
    case "start of the host":
      if (character === "@") return "at host";
      return endsHost ? "rest" : "host";
    case "rest":
      return state;
    case "any link":
      if (character <= " ") return state;
      if (endsHost || character === "&") return "rest";
      throw new Refused(WHOLE);
    case "part of a name":
      if (character === ":") throw new Refused(NAME);
      return endsHost ? "rest" : state;
    case "part of the host":
      if (endsHost || character === "@") throw new Refused(HOST);
      return character === "." ? "dot in the host" : state;
    case "dot in the host":
      if (/[a-z0-9]/i.test(character)) return "host";
      throw new Refused(HOST);
    default:
      return afterWord(state, character);
  }
}

function afterOutput(state: State): readonly State[] {
  switch (state) {
    case "start":
      // The value may be empty.
      return ["any link", "start"];
    case "slash":
      return ["rest", "slash"];
    case "at host":
      return ["start of the host"];
    case "host":
    case "dot in the host":
      return ["part of the host"];
    case "any link":
      throw new Refused(WHOLE);
    case "rest":
    case "part of a name":
    case "start of the host":
    case "part of the host":
      return [state];
    default:
      if (state.startsWith(":data:")) throw new Refused(refusal("data"));
      return ["part of a name"];
  }
}

function checkEnd(state: State): void {
  if (state === "part of the host" || state === "dot in the host") throw new Refused(HOST);
}

function placeIn(states: ReadonlySet<State>): EscapeContext {
  const [state, another] = states;
  if (another !== undefined) return "part of a link";
  return state === "start" ? "link" : state === "rest" ? "rest of a link" : "part of a link";
}

interface Block {
  /** Before its first tag. */
  readonly before: ReadonlySet<State>;
  /** After the branches so far. */
  readonly after: Set<State>;
  hasElse: boolean;
}

/** `isList`: several URLs, as in srcset. Calls `put` for each merge field. */
export function findUrlContexts(
  value: string,
  pieces: readonly UrlPiece[],
  isList: boolean,
  put: (piece: UrlPiece, context: EscapeContext) => void,
): UrlProblem | null {
  let states: ReadonlySet<State> = new Set(["start"]);
  const blocks: Block[] = [];
  let position = 0;

  const literal = (text: string): void => {
    for (const character of resolveEntities(text)) {
      const startsNext = isList && /[\s,]/.test(character);
      const next = new Set<State>();
      for (const state of states) {
        if (startsNext) checkEnd(state);
        next.add(startsNext ? "start" : afterCharacter(state, character));
      }
      states = next;
      // Nothing can change any more.
      if (!isList && next.size === 1 && next.has("rest")) return;
    }
  };
  const tag = (name: string): void => {
    if (name === "for") throw new Refused(LOOP);
    if (name === "if" || name === "unless" || name === "case") {
      blocks.push({ before: states, after: new Set(), hasElse: false });
      return;
    }
    const block = blocks.at(-1);
    if (block === undefined || !/^(?:elsif|else|when|end.*)$/.test(name)) return;
    for (const state of states) block.after.add(state);
    if (name === "else") block.hasElse = true;
    states = block.before;
    if (!name.startsWith("end")) return;
    blocks.pop();
    if (!block.hasElse) for (const state of block.before) block.after.add(state);
    states = block.after;
  };

  try {
    for (const piece of pieces) {
      const text = value.slice(position, piece.from);
      literal(text);
      position = piece.from;
      if (/&#\w*$/.test(text)) throw new Refused(INCOMPLETE);
      if (states.size > MAX_STATES) throw new Refused(CONDITIONS);
      if (piece.isOutput) {
        put(piece, placeIn(states));
        states = new Set([...states].flatMap(afterOutput));
      } else tag(piece.tag);
      position = piece.to;
    }
    literal(value.slice(position));
    for (const state of states) checkEnd(state);
    return null;
  } catch (error) {
    if (error instanceof Refused) return { position, message: error.message };
    throw error;
  }
}
