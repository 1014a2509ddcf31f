/** Where the API is. Apart from the API itself, which is loaded with its first request. */
export const API_PATH = "/api/v2";

/** Whether a path is one of the API; `prefix` is the path of the service's base address. */
export const isApiPath =
  (prefix: string) =>
  (path: string): boolean =>
    [API_PATH, `${prefix}${API_PATH}`].some((base) => path === base || path.startsWith(`${base}/`));
