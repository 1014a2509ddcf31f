/** The pages of one subscriber. */
export const PERSON = "/{account}/subscribers/{subscriber}";
export const EDIT = `${PERSON}/edit` as const;
export const HISTORY = `${PERSON}/history` as const;
export const RESULTS = `${PERSON}/campaigns` as const;
export const UNSUBSCRIBE = `${PERSON}/unsubscribe` as const;
export const REACTIVATE = `${PERSON}/reactivate` as const;
export const ERASE = `${PERSON}/erase` as const;
export const DOWNLOAD = `${PERSON}/download` as const;
