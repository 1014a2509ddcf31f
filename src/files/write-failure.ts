/** Why a file could not be written, in the words that people look for. */
export const writeFailure = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? "the disk is full" : message;
};
