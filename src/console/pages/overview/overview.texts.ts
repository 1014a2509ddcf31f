import type { QuirkKind } from "#domain/statistics.ts";

export const title = "Overview";
export const healthy = "Healthy";
export const allWell = "The database responds, and there is enough disk space.";
export const unhealthy = "The service needs attention";
export const importCsv = "Import";

export const active = "Active subscribers";
export const joined = "Joined";
export const left = "Left";
export const lists = "Lists";
export const refused = "Refused calls";
export const refusedWaiting = "to review";
export const noneWaiting = "nothing to do";

export const running = "Running now";
export const allJobs = "All jobs";

export const troubles = "Integration problems";
export const troublesDescription = (days: string): string =>
  `Programs whose calls failed or were refused in the last ${days} days, or that behave unusually.`;
export const integration = "Integration";
export const calls = "Calls";
export const refusals = "Refused";
export const faults = "Faults";
export const noticed = "Noticed";
export const keyName = (label: string, hint: string): string => (label === "" ? `Key ${hint}…` : label);
export const quirks: Readonly<Record<QuirkKind, string>> = {
  "charset-mismatch": "Text in another charset than declared",
  "http-1.0": "HTTP/1.0",
  "wsdl-every-call": "Reads the WSDL for every call",
};
export const allIntegrations = "All integrations";

export const largestLists = "Largest lists";
export const allLists = "All lists";
export const list = "List";
export const members = "Active members";
export const noLists = "No lists yet.";

export const lastCampaigns = "Latest campaigns";
export const allCampaigns = "All campaigns";
export const campaign = "Campaign";
export const sent = "Sent";
export const notSent = "not sent";
export const unsubscribed = "Unsubscribed";
export const bounced = "Bounced";
export const complained = "Complained";
export const noCampaigns =
  "No campaigns yet. Your mailing tool records them here, so that unsubscribes and bounces are counted.";

export const numbers = "In numbers";

export const firstSteps = "First steps";
export const firstStepsDescription = "Three ways to fill this account, in any order.";
export const makeList = "Create a list";
export const makeListText = "People subscribe to lists, such as “Newsletter”.";
export const createList = "Create a list";
export const importPeople = "Import your subscribers";
export const importPeopleText =
  "From a CSV file with any column names. A dry run shows the result before anything is saved.";
export const startImport = "Import a CSV file";
export const connect = "Connect a program";
export const connectText = "Your shop or the form on your website adds people with an API key.";
export const createKey = "Create an API key";
