/** Renames members: from the words of the domain to those of the API and of `--json` (decision 0042). */
type InWords<Value, Words> = {
  readonly [Name in keyof Value as Name extends keyof Words ? Words[Name] & string : Name]: Value[Name];
};
/** The members that `words` names get the names there; the others keep theirs. */
export const inWords = <Value extends object, const Words extends Partial<Record<keyof Value, string>>>(
  value: Value,
  words: Words,
): InWords<Value, Words> =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [words[name as keyof Value] ?? name, member]),
  ) as InWords<Value, Words>;
