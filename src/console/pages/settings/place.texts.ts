export const settings = "Settings";
export const account = "Account";
export const senders = "Senders";
export const blocks = "Block list";
export const users = "Users";
export const tokens = "Tokens";
export const auditLog = "Audit log";

export const installation = "Installation";
export const installationDescription = "Applies to all accounts. Only administrators see it.";
export const settingsOfService = "Settings";
export const jobs = "Jobs";
