/**
 * The states of something, and which of them follow on which. Declared as data, so that the code decides by
 * the table that `docs/reference/sending.md` shows.
 */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

export const mayBecome = <State extends string>(
  transitions: Transitions<State>,
  from: State,
  to: State,
): boolean => from === to || transitions[from].includes(to);
