/** The declaration of a command, and the context that it runs in. */
import type { Action, InAccount } from "#admin/kit/action.ts";
import type { Config, SettingName } from "#app/settings/config.ts";
import type { Account } from "#domain/account.ts";
import type { Store } from "#domain/ports/store.ts";

export { type ErrorCode, Failure, notFound, UsageError } from "./errors.ts";

export interface Option {
  /** The placeholder of the value in the help, such as "N"; undefined for a switch. */
  readonly value?: string;
  readonly repeated?: boolean;
  readonly required?: boolean;
  readonly doc: string;
}

export interface CompleteCommand {
  /** The words that name it, such as "key create". */
  readonly name: string;
  /** The names of its arguments, in order; one in brackets is optional. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly doc: string;
  /** Further paragraphs of the help, below the options. */
  readonly details?: string;
  /** Shown with the commands that begin with the same word; each line is indented. */
  readonly familyDetails?: readonly { readonly heading: string; readonly lines: readonly string[] }[];
  /** A call that works, without the program's name. */
  readonly example: string;
  /** Whether it works within one account, so that --account may name it. */
  readonly inAccount: boolean;
  /** The settings that it takes as options; the database only if undefined. */
  readonly settings?: readonly SettingName[];
  /** Whether it may create the database. All others fail without one, so that a typo creates no file. */
  readonly makesDatabase?: boolean;
  /** Whether it reads and writes so much that the database is worth a thread. */
  readonly hasThreads?: boolean;
  /** What an action's input is called here, where it is not the argument or option of the same name. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** What to do if the command succeeded but its result could not be printed. */
  readonly ifNotShown?: string;
  readonly run: (context: Context) => Promise<void>;
}

/** What most commands have need not be declared: no arguments, no options, and one account. */
type Usual = "args" | "options" | "inAccount";
export type Command = Omit<CompleteCommand, Usual> & Partial<Pick<CompleteCommand, Usual>>;

export interface Context {
  readonly args: readonly string[];
  readonly config: Config;
  /** An option's value; undefined if it was not given. */
  readonly option: {
    (name: string): string | undefined;
    <Value>(name: string, parse: (text: string, what: string) => Value): Value | undefined;
  };
  readonly options: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
  /** Opened on first use, closed by the command line. */
  readonly store: () => Promise<Store>;
  /** The account named by --account, or the only one there is. */
  readonly account: () => Promise<Account>;
  /** Performs an action as the operator; its errors become errors of the command. */
  readonly perform: <Args extends object, Result>(
    action: Action<Args, Result>,
    args: Args,
  ) => Promise<Result>;
  /** The same within the account. */
  readonly performInAccount: <Args extends InAccount, Result>(
    action: Action<Args, Result>,
    args: Args extends unknown ? Omit<Args, "account"> : never,
  ) => Promise<Result>;
  readonly out: Output;
  readonly now: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder, where mailroll.config.json may be. */
  readonly folder: string;
  /** Asks the user, yes or no, or whether they type the `answer`; null if there is no terminal. */
  readonly confirm: (question: string, answer?: string) => Promise<boolean | null>;
  /** Asks for a secret, which is not shown; null if there is no terminal. */
  readonly askSecret: (question: string) => Promise<string | null>;
}

export type Cell = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Cell>>;
export interface Output {
  /** Prints the JSON document with --json, otherwise the text. */
  readonly result: (value: object, text: () => string) => void;
  /** Prints one JSON array of documents with --json, otherwise a table of what `show` picks, or `empty`. */
  readonly table: <R extends object>(
    rows: readonly R[],
    empty: string,
    show?: (row: R) => Row,
    documentOf?: (row: R) => object,
  ) => void;
  /** Adds to the JSON document of a failure, beside its error; nothing without --json. */
  readonly json: (value: object) => void;
  /** A line beside the result: on standard error, or among the document's `notes` with --json. */
  readonly note: (line: string) => void;
  /** Shows a line on standard error that the next one may replace; null removes it. Nothing with --json. */
  readonly progress: (line: string | null) => void;
}
