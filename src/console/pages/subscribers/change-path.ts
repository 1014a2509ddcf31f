/** The page that changes many subscribers at once. */
export const CHANGE_PATH = "/{account}/subscribers/change";
