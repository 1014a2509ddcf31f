export const title = "Sign out";
export const explain = "This ends your session in this browser. Sessions in other browsers continue.";
