export const fromName = "Name";
export const fromNameHint = "What recipients see first, such as the name of your shop.";
export const fromAddress = "From address";
export const fromAddressHint = "On a domain of yours: you will add DNS records to it.";
export const replyTo = "Replies go to";
export const replyToHint = "Empty: the From address.";
export const postalAddress = "Postal address";
export const postalAddressHint = "Each message shows it, as the law requires.";
export const delivery = "Delivery";
export const relays = "Relays";
export const relaysHint =
  "The SMTP servers that get the messages, one per line, such as smtp://user@mail.example.org:587 or smtps://user@mail.example.org. Add =3 to a line to give it three times as many messages. Empty: the relay of the installation.";
export const relayPassword = "Password of the relay";
export const relayPasswordHint =
  "If several relays have different passwords, write each into its line: smtp://user:password@…";
export const relayPasswordAgain = "Enter the password again; it was not saved.";
export const relayPasswordKept = "Leave it empty to keep what is stored.";
export const bounceDomain = "Domain for bounces";
export const bounceDomainHint =
  "A domain such as bounces.example.org, whose mail server receives bounces. Empty: they go to the From address.";
export const signing = "Signature";
export const signingOptions = {
  mailroll: "Mailroll signs the messages",
  relay: "The relay signs the messages",
  none: "Nobody signs",
} as const;
export const signingHints = {
  mailroll: "With a DKIM key of its own, whose public part you add to your DNS.",
  relay: "Many providers do; they tell you which DNS records that needs.",
  none: "No campaign of this sender can be sent.",
} as const;
export const dkimDomain = "DKIM domain";
export const dkimDomainHint = "Empty: the domain of the From address.";
export const dkimSelector = "DKIM selector";
export const dkimSelectorHint = "Part of the name of the DNS record. Empty: mailroll.";
export const limits = "Limits";
export const limitNames = {
  perSecond: "Messages per second",
  perDomainMinute: "Messages per minute to one domain",
  perDay: "Messages per day",
} as const;
export const perDayHint = "Start low with a new domain, and raise it over some weeks. Empty: no limit.";
export const notANumber = "Must be a whole number, at least 1.";
