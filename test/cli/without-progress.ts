/** Standard error without the lines of progress, which only a slow import prints. */
export const withoutProgress = (err: string): string => err.replaceAll(/^.* rows [\d,]+\/s.*\n/gm, "");
