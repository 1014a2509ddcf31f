export const title = "Welcome";
export const noAccount =
  "You have no role in any account yet. Ask an administrator or the owner of an account to give you one.";
