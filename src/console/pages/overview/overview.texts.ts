import type { QuirkKind } from "../../../domain/statistics.ts";

export const title = "Overview";
export const healthy = "Healthy";
export const allWell = "The database answers, and there is room for more.";
export const unhealthy = "The service needs attention";
export const importCsv = "Import";

export const active = "Active subscribers";
export const joined = "Joined";
export const left = "Left";
export const lists = "Lists";
export const refused = "Refused calls";
export const inDays = (days: string): string => `in ${days} days`;
export const changeIn = (change: string, days: string): string => `${change} in ${days} days`;
export const refusedWaiting = "waiting for you";
export const noneWaiting = "none is waiting";

export const growth = "Growth";
export const range = "How many days are shown";
export const rangeName = (days: number): string => (days === 365 ? "1 year" : `${days} days`);
export const perDay = "Joined and left per day";
export const perWeek = "Joined and left per week";
export const activeChart = "Active subscribers";
export const activeName = "Active";
export const day = "Day";
export const weekFrom = "Week from";

export const running = "Running now";
export const allJobs = "All jobs";

export const troubles = "Integrations with trouble";
export const troublesDescription = (days: string): string =>
  `Programs that got faults or refusals during the last ${days} days, or do something that deserves a look.`;
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
export const noLists = "There is no list yet.";

export const lastCampaigns = "Last campaigns";
export const allCampaigns = "All campaigns";
export const campaign = "Campaign";
export const sent = "Sent";
export const notSent = "not sent";
export const unsubscribes = "Unsubscribes";
export const bounces = "Bounces";
export const complaints = "Complaints";
export const noCampaigns =
  "No campaign yet. Your mailing tool records them, so that unsubscribes and bounces can be counted.";

export const firstSteps = "First steps";
export const firstStepsDescription = "Nobody is in this account yet. This is how people get in.";
export const makeList = "Make a list";
export const makeListText = "People subscribe to lists, such as “Newsletter”.";
export const createList = "Create a list";
export const importPeople = "Import the people that you have";
export const importPeopleText =
  "From a CSV file, with any headings. You see what would happen before it does.";
export const startImport = "Import a CSV file";
export const connect = "Connect a program";
export const connectText = "A shop or a form on your website adds people with an API key.";
export const createKey = "Create a key";
