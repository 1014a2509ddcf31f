/** The system user who runs the command. */
import { userInfo } from "node:os";

/** In many containers the user id has no user name. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
