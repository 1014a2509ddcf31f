/**
 * Commands that create a thing and commands that change it share options. Only those that create have
 * defaults: the others keep the stored value of an option that is not given.
 */
import type { Option } from "../command.ts";

export const withDefaults = <Name extends string>(
  options: Readonly<Record<Name, Option>>,
  defaults: Readonly<Partial<Record<NoInfer<Name>, string>>>,
): Readonly<Record<string, Option>> =>
  Object.fromEntries(
    Object.entries<Option>(options).map(([name, option]) => {
      const value = defaults[name as Name];
      if (value === undefined) return [name, option];
      return [name, { ...option, doc: option.doc.replace(/\.$/, ` (default: ${value}).`) }];
    }),
  );
