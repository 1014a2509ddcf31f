import { quoted } from "#html/names.ts";

export const campaigns = "Campaigns";
export const newTitle = "New campaign";
export const newDescription =
  "It is saved as a draft. Only the name is needed now; before it is sent, checks say what is missing.";
export const editTitle = (called: string): string => `Edit ${quoted(called)}`;
export const name = "Name";
export const namePlaceholder = "e.g. Spring offers";
export const nameHint = "Recipients do not see it.";

export const sender = "Sender";
export const noSender = "Choose later";
export const noSendersTitle = "There is no sender yet";
export const noSenders =
  "A sender says who the campaign is from. You can write the campaign now, and choose its sender later.";
export const toSenders = "Go to the senders";
export const askOwner = "A user with the role owner can create one.";

export const audience = "Recipients";
export const lists = "Lists";
export const listsHint = "Active subscribers of these lists get it, each of them once.";
export const excludedLists = "Excluded lists";
export const excludedListsHint =
  "Subscribers of these lists do not get it, whatever other lists they are on.";
export const noLists = "This account has no list yet. Create one, then choose it here.";
export const toLists = "Go to the lists";

export const message = "Message";
export const subject = "Subject";
export const preheader = "Preheader";
export const preheaderHint = "Mail programs show it beside the subject, before the message is opened.";
export const kind = "Write it as";
export const kinds = {
  markdown: { label: "Markdown", hint: "Text with simple formatting, in one of Mailroll’s layouts." },
  html: {
    label: "HTML",
    hint: "Your own document. It needs {{ postal_address }} and a link to {{ unsubscribe_url }}.",
  },
  text: {
    label: "Plain text",
    hint: "Without any formatting. It needs {{ postal_address }} and {{ unsubscribe_url }}.",
  },
} as const;
export const layout = "Layout";
export const layoutName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
export const layoutHint = "Each has the sender's postal address and the unsubscribe link.";
export const markdown = "Markdown";
export const markdownHint = "Such as # Heading, **bold**, [link](https://example.org) and - lists.";
export const html = "HTML";
export const htmlHint = "Styles in a <style> element are inlined.";
export const text = "Plain text";
export const textHint = "For mail programs that do not show HTML. If empty, it is made from the message.";

export const mergeFields = "Merge fields";
export const mergeFieldsHint = "In the subject, the preheader and the message; for example with a default:";
export const example = '{{ first_name | default: "friend" }}';
export const ofPerson = "Of the subscriber";
export const ofFields = "Custom fields";
export const ofCampaign = "Of the campaign";
export const toFields = "All custom fields";

export const create = "Save draft";
export const save = "Save";
export const saveAndPreview = "Save and preview";
export const cancel = "Cancel";
export const created = "The draft is saved.";
export const saved = "The draft is saved.";
