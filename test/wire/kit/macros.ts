/**
 * What stands for something else in the text of a case: `{{name}}` for a value of the run, `{{U+00A0}}` for a
 * character that an editor would hide, `{{U+000A*500}}` for many of it, and `{{repeat 3 text#}}` for
 * repeated text, in which # counts from 1.
 */
const MACRO = /\{\{([^{}]*|repeat .*?)\}\}/gs;

export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(MACRO, (_, name: string) => {
    const [, code, count] = /^U\+([0-9A-F]{4,6})(?:\*(\d+))?$/.exec(name) ?? [];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(count ?? 1));
    const [, times, repeated] = /^repeat (\d+) (.*)$/s.exec(name) ?? [];
    if (times !== undefined && repeated !== undefined)
      return Array.from({ length: Number(times) }, (__, index) =>
        repeated.replaceAll("#", String(index + 1)),
      ).join("");
    const value = values[name];
    if (value === undefined)
      throw new Error(`{{${name}}} is unknown. There are: ${Object.keys(values).join(", ")}, U+…, repeat.`);
    return value;
  });
}

/** `{{U+…}}` for characters that cannot be seen, or would end a line of a case. */
export const showHidden = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u00A0]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `{{U+${code.toString(16).toUpperCase().padStart(4, "0")}}}`;
  });
