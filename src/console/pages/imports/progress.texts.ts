export const preparing = "Checking the file for date formats and repeated addresses.";
export const waitingToStart = "It starts in a moment.";
export const retrying = (error: string): string =>
  `The last attempt failed (${error}). It is retried automatically, and no row is imported twice.`;
export const dryRun = "The dry run";
export const running = "The import";
export const rows = (done: string): string => `${done} rows`;
export const perSecond = (rate: string): string => `${rate} rows per second`;
export const left = (seconds: number): string => {
  if (seconds < 50) return "less than a minute left";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes <= 1 ? "about a minute left" : `about ${minutes} minutes left`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "about an hour left" : `about ${hours} hours left`;
};
export const survives = "You can close this page. The import continues, also after a restart of the service.";
export const refresh = "Reload to see the progress";
export const stop = "Stop";
