/** Where the console is. Apart from the console itself, which is loaded with its first request. */
export const CONSOLE_PATH = "/console";

/**
 * Whether a path is one of the console; `prefix` is the path of the service's base address. The files of
 * pages are served without the console, because help pages have some of them, too.
 */
export const isConsolePath =
  (prefix: string) =>
  (path: string): boolean =>
    [CONSOLE_PATH, `${prefix}${CONSOLE_PATH}`].some(
      (base) => path === base || (path.startsWith(`${base}/`) && !path.startsWith(`${base}/assets/`)),
    );
