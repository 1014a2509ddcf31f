/** Where the console is. Apart from the console itself, which is loaded with its first request. */
export const CONSOLE_PATH = "/console";

/** The address of a link to sign in with; `base` is the address of the service. */
export const consoleLink = (base: string, secret: string): string =>
  `${base.replace(/\/$/, "")}${CONSOLE_PATH}/link?token=${secret}`;

/**
 * Whether a path is one of the console; `prefix` is the path of the service's base address. The files of
 * pages are served without the console, because help pages have some of them, too.
 */
export const isConsolePath =
  (prefix: string) =>
  (given: string): boolean => {
    // Not the other way round: the base address may itself end with the path of the console.
    const path = given.startsWith(`${prefix}/`) ? given.slice(prefix.length) : given;
    return (
      path === CONSOLE_PATH ||
      (path.startsWith(`${CONSOLE_PATH}/`) && !path.startsWith(`${CONSOLE_PATH}/assets/`))
    );
  };

/**
 * The address of the console that was meant by a path in other letter case, with doubled slashes or with a
 * slash at its end; null: nothing is to be corrected. It has one slash at its beginning: two would name a
 * host. It has the prefix, also if a proxy has removed that.
 */
export function meantConsolePath(prefix: string, path: string): string | null {
  const simple = path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  for (const base of [CONSOLE_PATH, `${prefix}${CONSOLE_PATH}`]) {
    const [start, rest] = [simple.slice(0, base.length), simple.slice(base.length).toLowerCase()];
    if (start.toLowerCase() !== base.toLowerCase() || !isConsolePath(prefix)(`${base}${rest}`)) continue;
    return `${base}${rest}` === path ? null : `${prefix}${CONSOLE_PATH}${rest}`;
  }
  return null;
}
