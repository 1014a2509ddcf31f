export const title = "Refused calls";
export const description =
  "Calls of your integrations that were not carried out. Correct and replay them, or dismiss them.";
export const reason = "Reason";
export const operation = "Operation";
export const integration = "Integration";
export const unknownKey = "Unknown";
export const keyNumber = (id: string): string => `Key ${id}`;
export const calls = "Calls";
export const times = "Attempts";
export const first = "First";
export const last = "Last";
export const groups = "Groups of refused calls";

export const emptyTitle = "No call was refused";
export const empty =
  "Every call of your integrations was carried out. A call that is refused, for example because its list does not exist or the person has unsubscribed, stays here until you correct or dismiss it.";

export const onlyOf = "Only of the integration";
export const showAll = "show all";
export const emptyOfKey =
  "No refused call of this integration is left: all were replayed or dismissed, or are too old to be kept.";

/** Calls that changed nothing; a quiet line. */
export const noOps = (all: string, parts: readonly string[]): string =>
  `${all} because nothing had to be done: ${parts.join(", ")}.`;
export const callsChangedNothing = (count: number, number: string): string =>
  count === 1 ? "1 call changed nothing" : `${number} calls changed nothing`;
const noOpReasons: Readonly<Record<string, string>> = {
  NotOnList: "the address was not on the list",
  FieldExists: "the field existed already",
};
export const noOp = (number: string, called: string, outcome: string): string =>
  `${number} × ${called} (${Object.hasOwn(noOpReasons, outcome) ? noOpReasons[outcome] : outcome})`;

export const replayAll = "Replay all";
export const dismissAll = "Dismiss all";
export const call = "Call";
export const lastRefused = "Last refused";
export const count = (number: string): string => (number === "1" ? "1 call" : `${number} calls`);
export const noneHere = "None on this page. See the next one.";
export const whatToDo = "What to do";
export const goneTitle = "No calls left";
export const gone = "All calls of this group have been replayed or dismissed.";
export const toAll = "Show all refused calls";

export const replayTitle = "Replay all calls of this group";
export const dismissTitle = "Dismiss all calls of this group";
export const affected = (number: string, hasMore: boolean): string =>
  hasMore ? `More than ${number} calls` : number === "1" ? "1 call" : `${number} calls`;
export const replayConsequences: readonly string[] = [
  "They are carried out again as they are, without corrections, in the order in which they were first refused.",
  "Those that succeed change subscribers, and are removed from the refused calls. The others stay.",
  "Calls that are refused from now on are not part of it.",
];
export const dismissConsequences: readonly string[] = [
  "They are removed from the refused calls, and can no longer be replayed.",
  "No data changes. If a program repeats a call, it is listed again.",
  "Calls that are refused from now on are not part of it.",
];
export const whatHappens = "What will happen";
export const confirmReplay = "Replay them";
export const confirmDismiss = "Dismiss them";
export const cancel = "Cancel";
export const started = "The job has started.";
export const newest = "The newest calls";
export const nothingLeft = "The group has no calls left.";
