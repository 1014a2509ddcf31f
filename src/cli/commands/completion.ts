/**
 * `mailroll completion`: the script with which a shell completes commands, options and their values, made
 * from the declarations. It asks neither the program nor the database, so it completes at once.
 */

import { asTyped } from "#shipped.ts";
import type { Command, CompleteCommand, Option } from "../kit/command.ts";
import { commonOptionsOf, ownOptions } from "../kit/help.ts";
import { parseChoice } from "../kit/parse-call.ts";

export const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

interface Completed {
  readonly word: string;
  readonly doc: string;
}
interface CompletedOption extends Completed {
  /** The values that there are, any file, or any text. */
  readonly value: readonly string[] | "file" | "text" | null;
}
interface CompletedCommand {
  readonly name: string;
  readonly options: readonly CompletedOption[];
}

const sentence = (text: string): string => text.split(/(?<=[.:;]) /, 1)[0]?.replace(/[.:;]$/, "") ?? "";

function valuesOf({ value }: Option): CompletedOption["value"] {
  if (value === undefined) return null;
  if (value === "FILE") return "file";
  return value.includes("|") ? value.split("|") : "text";
}
const completed = (command: CompleteCommand): CompletedCommand => ({
  name: command.name,
  options: Object.entries({ ...ownOptions(command), ...commonOptionsOf(command) }).map(([name, option]) => ({
    word: `--${name}`,
    doc: sentence(option.doc),
    value: valuesOf(option),
  })),
});

/** What may follow the words before it: after none "key" and others, after "key" "create" and others. */
function nextWords(commands: readonly CompleteCommand[]): ReadonlyMap<string, readonly Completed[]> {
  const next = new Map<string, Map<string, readonly string[]>>();
  for (const { name, doc } of commands) {
    const words = name.split(" ");
    words.forEach((word, index) => {
      const before = words.slice(0, index).join(" ");
      const found = next.get(before) ?? new Map<string, readonly string[]>();
      const isLast = index === words.length - 1;
      const docs = [...(found.get(word) ?? []), isLast ? sentence(doc) : (words[index + 1] ?? "")];
      next.set(before, found.set(word, docs));
    });
  }
  return new Map(
    [...next].map(([before, found]) => [
      before,
      [...found].map(([word, docs]) => ({ word, doc: [...new Set(docs)].join(", ") })),
    ]),
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const names = (items: readonly Completed[]): string => items.map(({ word }) => word).join(" ");

/** The values of options, by command and option. */
const valueCases = (commands: readonly CompletedCommand[], file: string, choice: (words: string) => string) =>
  commands.flatMap(({ name, options }) =>
    options.flatMap(({ word, value }) => {
      if (value === null) return [];
      const reply = value === "file" ? file : value === "text" ? "" : choice(value.join(" "));
      return [`    ${quoted(`${name} ${word}`)}) ${reply}${reply === "" ? "" : "; "}return ;;`];
    }),
  );

/** The case of a longer name comes first, because it begins with a shorter one. */
const commandCases = (commands: readonly CompletedCommand[]): string =>
  commands
    .toSorted((one, other) => other.name.length - one.name.length)
    .map(({ name }) => `    ${quoted(`${name} `)}*) command=${quoted(name)} ;;`)
    .join("\n");

function bash(all: readonly CompleteCommand[]): string {
  const commands = all.map(completed);
  const reply = (words: string): string => `COMPREPLY=($(compgen -W ${quoted(words)} -- "$current"))`;
  const files = 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))';
  return `# Completion of mailroll for bash, printed by 'mailroll completion bash'.
_mailroll() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=
  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  COMPREPLY=()
  case "$before " in
${commandCases(commands)}
  esac
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(commands, files, reply).join("\n")}
  esac
  if [[ $current == -* ]]; then
    case "$command" in
${commands.map(({ name, options }) => `      ${quoted(name)}) ${reply(names(options))} ;;`).join("\n")}
    esac
    return
  fi
  case "$before" in
${[...nextWords(all)].map(([before, found]) => `    ${quoted(before)}) ${reply(names(found))} ;;`).join("\n")}
    *) ${files} ;;
  esac
}
complete -F _mailroll mailroll
`;
}

function zsh(all: readonly CompleteCommand[]): string {
  const commands = all.map(completed);
  const describe = (items: readonly Completed[]): string =>
    `found=(${items.map(({ word, doc }) => quoted(`${word}:${doc}`)).join(" ")}); _describe mailroll found`;
  return `#compdef mailroll
# Completion of mailroll for zsh, printed by 'mailroll completion zsh'.
_mailroll() {
  local -a found
  local command= before="$words[2,CURRENT-1]"
  case "$before " in
${commandCases(commands)}
  esac
  case "$command $words[CURRENT-1]" in
${valueCases(commands, "_files", (words) => `compadd ${words}`).join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case "$command" in
${commands.map(({ name, options }) => `      ${quoted(name)}) ${describe(options)} ;;`).join("\n")}
    esac
    return
  fi
  case "$before" in
${[...nextWords(all)].map(([before, found]) => `    ${quoted(before)}) ${describe(found)} ;;`).join("\n")}
    *) _files ;;
  esac
}
if [ "$funcstack[1]" = _mailroll ]; then _mailroll "$@"; else compdef _mailroll mailroll; fi
`;
}

function fish(all: readonly CompleteCommand[]): string {
  /** `words`: how the command line begins, without options. */
  const one = (words: string, isWhole: boolean, rest: string, doc: string): string =>
    `complete -c mailroll -n ${quoted(`__mailroll_${isWhole ? "is" : "begins"} ${words}`.trim())} ${rest} -d ${quoted(doc)}`;
  const value = (given: CompletedOption["value"]): string => {
    if (given === null) return "";
    if (given === "file") return " -r -F";
    return given === "text" ? " -x" : ` -x -a ${quoted(given.join(" "))}`;
  };
  return `# Completion of mailroll for fish, printed by 'mailroll completion fish'.
function __mailroll_words
    string join ' ' (string match -v -- '-*' (commandline -opc)[2..])
end
function __mailroll_is
    test "$(__mailroll_words)" = "$argv"
end
function __mailroll_begins
    string match -q -- "$argv *" "$(__mailroll_words) "
end
complete -c mailroll -e
${[
  ...[...nextWords(all)].flatMap(([before, found]) =>
    found.map(({ word, doc }) => one(before, true, `-f -a ${word}`, doc)),
  ),
  ...all
    .map(completed)
    .flatMap(({ name, options }) =>
      options.map((option) =>
        one(name, false, `-l ${option.word.slice(2)}${value(option.value)}`, option.doc),
      ),
    ),
].join("\n")}
`;
}

const scripts: Readonly<Record<Shell, (commands: readonly CompleteCommand[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `commands`: all of them, this one included. */
export const completionScript = (shell: Shell, commands: readonly CompleteCommand[]): string =>
  scripts[shell](commands);

export const completionCommand = (commands: () => readonly CompleteCommand[]): Command => ({
  name: "completion",
  args: ["SHELL"],
  doc: "Prints the script with which a shell completes commands and options.",
  details:
    "SHELL is bash, zsh or fish. For the current shell: 'source <(mailroll completion bash)', or 'mailroll completion fish | source'. To keep it, write the script to where the shell looks for it: ~/.local/share/bash-completion/completions/mailroll, a file _mailroll in a folder of zsh's fpath, or ~/.config/fish/completions/mailroll.fish.",
  example: "completion bash",
  inAccount: false,
  settings: [],
  run: async ({ args, out }) => {
    const script = completionScript(parseChoice(args[0], "SHELL", shells), commands());
    out.result({ script }, () => asTyped(script.trimEnd()));
  },
});
