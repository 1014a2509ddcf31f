export const progress = "Sending progress";
export const of = (done: string, total: string): string =>
  total === "1" ? `${done} of 1 recipient` : `${done} of ${total} recipients`;
export const perSecond = (rate: string): string => `${rate} per second`;
export const selecting = "The recipients are being selected.";
export const startsSoon = "It starts within a few seconds.";
export const startsAt = (at: string): string => `It starts on ${at}.`;
export const reload = "Reload to see the progress";
export const survives =
  "You can close this page. The campaign continues, also after a restart of the service.";

export const waitsTitle = "The relay does not accept messages now. The campaign continues by itself";
export const waits = (at: string, reason: string): string => `The next attempt is at ${at}. ${reason}`;
export const limitedTitle = "The campaign waits for the daily limit of its sender";
export const limited = (at: string): string => `It continues by itself at ${at}.`;
export const limitedByDomainTitle = "The campaign waits for a limit of its sender";
export const limitedByDomain = (at: string, reason: string): string =>
  `${limited(at)} Until then, ${reason}.`;
export const deferredTitle = (count: string): string =>
  count === "1"
    ? "1 recipient waits: the relay asked to try again later"
    : `${count} recipients wait: the relay asked to try again later`;
export const deferred = (hours: string): string =>
  `Mailroll does so by itself, at growing intervals. Whoever is still deferred ${hours} hours after the first attempt counts as failed.`;
export const pausedTitle = "The campaign is paused";
export const pausedByUser = "Nobody gets it until somebody resumes it.";
export const heldTitle = "The campaign is held until somebody resumes it";
export const cancelledTitle = "The campaign was cancelled";
export const cancelledText = (left: string): string =>
  left === "1" ? "1 recipient did not get it." : `${left} recipients did not get it.`;
export const cancelledBefore = "It had not started, so nobody got it.";
export const bounced = "of them bounced";
