export const title = "Sign in";
export const email = "E-mail address";
export const password = "Password";
export const code = "Code";
export const codeHint =
  "Only if you use two-factor sign-in: the code from your authenticator app, or a recovery code.";
export const signIn = "Sign in";
export const signedOut = "You are signed out.";
export const sessionEnded = "You are not signed in any more.";
export const notSaved = "What you sent was not saved. Sign in, then enter it again.";
export const wrong = "The e-mail address, the password or the code is wrong.";
export const codeNeeded = "You use two-factor sign-in. Enter the code, and your password again.";
export const plainTitle = "This connection is not encrypted";
export const plain =
  "Anybody on the network between you and the server can read your password. Ask the operator of the server to serve the console over HTTPS.";
export const noAdministratorTitle = "Nobody can sign in yet";
export const noAdministrator =
  "The operator of the server runs “mailroll console link”, and opens the link that it prints to create the first administrator.";
