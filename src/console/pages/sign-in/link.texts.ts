import { MIN_PASSWORD_LENGTH } from "#admin/users/password-rules.ts";

export const title = "Sign in with a link";
export const explain = (email: string): string =>
  `This link signs you in as ${email}. It works once. Do not use it if it was not made for you.`;
export const signIn = "Sign in";
export const codeHint = "You have a second factor: the code of your authenticator app, or a recovery code.";
export const codeNeeded = "Type the code of your authenticator app, or a recovery code.";
export const codeWrong =
  "This is not the current code, or it was used before. Wait for the next one, or use a recovery code.";
export const lost =
  "Telephone and recovery codes lost? An owner of your account or an administrator can reset your second factor: in the console under “Users”, on your page. The operator of the server can do it with “mailroll user totp remove”.";
export const firstTitle = "Create the first administrator";
export const email = "E-mail address";
export const name = "Name";
export const password = "Password";
export const passwordHint = `At least ${MIN_PASSWORD_LENGTH} characters. A sentence is easy to remember and hard to guess.`;
export const create = "Create and sign in";
export const welcome = "Welcome! You are now the administrator of this installation.";
export const unusableTitle = "This link does not work any more";
export const unusable =
  "It was already used, is older than 15 minutes, or is incomplete. For a new one, the operator of the server runs “mailroll console link”, " +
  "with your e-mail address if you already are a user.";
