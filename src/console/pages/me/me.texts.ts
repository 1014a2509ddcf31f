import { MIN_PASSWORD_LENGTH } from "#admin/users/password-rules.ts";

export const title = "Your account";
export const save = "Save";

export const profile = "You";
export const name = "Name";
export const nameHint = "Shown to colleagues beside your changes.";
export const timeZone = "Time zone";
export const timeZoneHint = "The console shows times in this zone.";
export const saved = "Your changes are saved.";

export const password = "Password";
export const passwordDescription = "A new password ends your sessions in other browsers.";
export const oldPassword = "Current password";
export const newPassword = "New password";
export const newPasswordHint = `At least ${MIN_PASSWORD_LENGTH} characters.`;
export const changePassword = "Change the password";
export const passwordChanged = "Your password is changed. Your other sessions have ended.";
export const noPassword =
  "You have no password yet: you were signed in with a link. Set one, to sign in without a link from now on.";

export const forgotten = (until: string): string =>
  `You have signed in with a link. Until ${until}, you can set a new password without the current one.`;

export const factor = "Second factor";
export const factorOff =
  "An authenticator app on your phone shows a new code every 30 seconds. With a second factor, signing in needs such a code as well as the password.";
export const factorOn = (since: string): string => `On since ${since}. Signing in needs a code.`;
export const setUp = "Set up";
export const setUpAgain = "Set up another phone";
export const remove = "Remove";
export const removed = "Your second factor is removed.";
export const enrolTitle = "Set up your second factor";
export const enrolExplain =
  "Scan the code with your authenticator app, or type the secret into it. If you are on the phone that has the app, open it from here. Then type the code that the app shows.";
export const qrCode = "QR code for your authenticator app";
export const secret = "Secret";
export const openApp = "Open in the authenticator app";
export const code = "Code of the app";
export const confirm = "Confirm";
export const pending = "A second factor is set up, but not confirmed yet. Type the code that the app shows.";
export const recoveryTitle = "Your recovery codes";
export const recoveryAdvice =
  "Keep them where you can find them without your phone. Each works once instead of a code of the app. They are not shown again.";
export const done = "Done";

export const sessions = "Sessions";
export const sessionsDescription = "Browsers in which you are signed in.";
export const program = "Browser";
export const from = "Signed in from";
export const since = "Since";
export const lastUsed = "Last used";
export const thisOne = "This one";
export const end = "End";
export const ended = "The session has ended.";

export const tokens = "Tokens";
export const tokensDescription =
  "With a token, a script uses the JSON API as you, with at most the role that you choose.";
export const noTokens = "You have no token.";
export const tokenName = "What is it for?";
export const tokenRole = "Role";
export const expires = "Expires";
export const never = "Never";
export const created = "Created";
export const createToken = "Create a token";
export const revoke = "Revoke";
export const revoked = "The token is revoked.";
export const tokenTitle = "Your new token";
export const tokenAdvice = "Copy it now: it is not stored, and is never shown again.";
export const back = "Back";
export const tryIt = "Try it";
export const tryItHint = "Answers with who you are, and with the roles that the token has.";
export const days = (count: number): string => `In ${count} days`;
