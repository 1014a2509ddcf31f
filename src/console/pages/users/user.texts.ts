export const since = "Added";
export const password = "Password";
export const passwordSet = (at: string): string => `set on ${at}`;
export const noPassword = "none: the user signs in with a link and sets one";
export const factorSince = (at: string): string => `on since ${at}`;
export const factorOff = "off";
export const timeZone = "Time zone";

export const yourself = "This is you";
export const yourselfText =
  "Your own password, second factor, sessions and tokens are on the page of your account.";
export const toMe = "Your account";
export const notManaged = "Only an administrator manages this user";
export const notManagedText =
  "The user is an administrator, or also has a role in another account. You decide about the role in this account.";

export const roleTitle = "Role";
export const roleDescription = "It takes effect with the next request of the user.";
export const removeRole = "None: remove the user from this account";
export const noRole = "none";
export const save = "Save";
export const roleSaved = "The role is changed.";
export const account = "Account";
export const roleInAccount = "Role in an account";
export const administratorTitle = "Administrator";
export const administratorYes =
  "The user may do everything: in every account, with every user, and in the installation.";
export const administratorNo =
  "An administrator may do everything: in every account, with every user, and in the installation.";
export const makeAdministrator = "Make the user an administrator";
export const takeAdministrator = "Take this away";
export const administratorSaved = "The change is saved.";

export const factorTitle = "Second factor";
export const factorDescription =
  "For a user who has lost the phone and the recovery codes. Verify who is asking: from then on, the password alone or a sign-in link is enough to sign in.";
export const resetFactor = "Reset the second factor";
export const factorReset = "The second factor is removed. The user can set up a new one.";

export const sessions = "Sessions";
export const sessionsDescription = "Browsers in which the user is signed in.";
export const noSessions = "The user is not signed in anywhere.";
export const program = "Browser";
export const from = "Signed in from";
export const signedInAt = "Since";
export const lastUsed = "Last used";
export const end = "End";
export const ended = "The session has ended.";

export const tokens = "Tokens";
export const tokensDescription = "With a token, a program acts as the user over the API.";
export const noTokens = "The user has no token.";
export const tokenName = "Token";
export const atMost = "At most as";
export const expires = "Expires";
export const never = "never";
export const revoke = "Revoke";
export const revoked = "The token is revoked.";

export const disableTitle = "Disable the user";
export const disableConsequences = [
  "The user is signed out everywhere, and cannot sign in any more.",
  "Programs with the user’s tokens are refused from their next call on. API keys are not touched.",
  "History and audit log keep the name. The user can be enabled again.",
];
export const disable = "Disable";
export const wasDisabled = "The user is disabled.";
export const enableTitle = "Enable the user";
export const enableDescription =
  "The user can sign in again. Tokens that were not revoked and have not expired work again.";
export const enable = "Enable";
export const wasEnabled = "The user is enabled.";
