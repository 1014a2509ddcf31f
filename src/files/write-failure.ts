/** Why a file could not be written, in plain words. */
export const writeFailure = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? "the disk is full" : message;
};
