/** Where unsubscribe links lead. */
export const UNSUBSCRIBE_PATH = "/u";

/** In place of a token, in previews and test messages: they must unsubscribe no subscriber. */
export const PREVIEW_TOKEN = "preview";

/** The link for a message; `base` is the base address of the service, without a slash at its end. */
export const unsubscribeUrl = (base: string, token: string): string => `${base}${UNSUBSCRIBE_PATH}/${token}`;

/**
 * Whether a path is that of a link, with the prefix of the base address or without. The POST of a mail
 * provider may have any Content-Type, also that of SOAP.
 */
export const isUnsubscribePath =
  (prefix: string) =>
  (path: string): boolean =>
    path.startsWith(`${UNSUBSCRIBE_PATH}/`) || path.startsWith(`${prefix}${UNSUBSCRIBE_PATH}/`);
