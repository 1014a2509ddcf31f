/** A sender is given as `nameOf` writes it: its name does not turn the text around it. */
export const newTitle = "New sender";
export const create = "Create the sender";
export const created = "The sender was created. Add the DNS records below, then check them.";
export const changeTitle = (sender: string): string => `Change ${sender}`;
export const save = "Save";
export const saved = "The sender was changed.";

export const newKeyTitle = (sender: string): string => `New DKIM key for ${sender}`;
export const newKeyQuestion = "Replace the DKIM key?";
export const newKeySelector = (selector: string): string =>
  `The new key gets a new selector in place of ${selector}, so it needs a new DNS record.`;
export const newKeyUse =
  "Campaigns that are being sent use the new key within five minutes. Pause them until its DNS record is published.";
export const newKeyOldRecord = "Keep the old record for a week: messages that are under way need it.";
export const newKeyConfirm = "Replace the key";
export const newKeyDone = "The DKIM key was replaced. Add the new DNS record now.";

export const deleteTitle = (sender: string): string => `Delete ${sender}`;
export const deleteQuestion = (sender: string): string => `Delete the sender ${sender}?`;
export const deleteSecrets = "Its DKIM key and the passwords of its relays are deleted with it.";
export const deleteCampaigns =
  "Campaigns that were sent stay as they are. An unfinished one must end or get another sender first.";
export const deleteConfirm = "Delete the sender";
export const deleted = (sender: string): string => `The sender ${sender} was deleted.`;
export const keep = "Keep it";
