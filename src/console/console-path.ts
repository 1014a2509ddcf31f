/** Where the console is. Apart from the console itself, which is loaded with its first request. */
export const CONSOLE_PATH = "/console";

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
