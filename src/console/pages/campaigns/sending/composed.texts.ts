export const edit = "Edit";
export const preview = "Preview";
export const send = "Check and send";
export const check = "Check";
export const more = "More";
export const dryRun = "Dry run";
export const unschedule = "Unschedule";
export const reschedule = "Change the time";
export const pause = "Pause";
export const resume = "Resume";
export const cancel = "Cancel the campaign";
export const retryFailed = "Retry failed recipients";
export const retryUnknown = "Retry unknown recipients";
export const verify = "Verify the numbers";
export const rename = "Rename";
export const remove = "Delete";

export const content = "Content";
export const from = "From";
export const subject = "Subject";
export const preheader = "Preheader";
export const lists = "Lists";
export const excluded = "Excluded lists";
export const nobody = "nobody";
export const written = "Message";
export const kinds = {
  markdown: (layout: string): string => `Markdown, layout ${layout}`,
  html: "HTML",
  text: "Plain text",
  none: null,
} as const;
export const gone = "deleted";
