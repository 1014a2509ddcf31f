/** What a command of the command line is made of, and what it gets to run with. */
import type { Config, SettingName } from "../config.ts";
import type { Account } from "../domain/account.ts";
import type { Store } from "../domain/ports.ts";

export { type ErrorCode, Failure, notFound, UsageError } from "./errors.ts";

export interface Option {
  /** What stands for the value in the help, such as "N"; left out where the option is a switch. */
  readonly value?: string;
  readonly repeated?: boolean;
  readonly required?: boolean;
  readonly doc: string;
}

export interface Command {
  /** The words that name it, such as "key create". */
  readonly name: string;
  /** The names of its arguments, in order; one in brackets may be left out. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly doc: string;
  /** What the help says below the options, where a sentence is not enough. */
  readonly details?: string;
  /** A call that works, without the program's name. */
  readonly example: string;
  /** Whether it works within one account, so that --account may name it. */
  readonly inAccount: boolean;
  /** The settings that are options of it, where that is not just the database. */
  readonly settings?: readonly SettingName[];
  /** Whether it may make the database; all others say that there is none, so that a typing error makes no file. */
  readonly makesDatabase?: boolean;
  /** What to do where it was carried out, and its result could not be printed. */
  readonly ifNotShown?: string;
  readonly run: (context: Context) => Promise<void>;
}

export interface Context {
  readonly args: readonly string[];
  readonly config: Config;
  /** An option's value; undefined where it was not given. */
  readonly option: (name: string) => string | undefined;
  readonly options: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
  /** Opened when first asked for, closed by the command line. */
  readonly store: () => Promise<Store>;
  /** The account named by --account, or the only one there is. */
  readonly account: () => Promise<Account>;
  readonly out: Output;
  readonly now: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it was called, and mailroll.config.json may lie. */
  readonly folder: string;
  /** Asks a person, yes or no; null where nobody is there to answer. */
  readonly confirm: (question: string) => Promise<boolean | null>;
}

export type Cell = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Cell>>;
export interface Output {
  /** The JSON document with --json, else what `text` makes of it. */
  readonly result: (value: object, text: () => string) => void;
  /** Rows as one JSON array with --json, else as a table of what `show` picks; `empty` is said where there are none. */
  readonly table: <R extends object>(rows: readonly R[], empty: string, show?: (row: R) => Row) => void;
  /** What the document of a failure has beside its error with --json, else nothing. */
  readonly json: (value: object) => void;
  /** A line beside the result: on standard error, or among the document's `notes` with --json. */
  readonly note: (line: string) => void;
  /** A line on standard error that the next one may replace; null takes it away. Nothing with --json. */
  readonly progress: (line: string | null) => void;
}
