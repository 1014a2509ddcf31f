/** Which passwords are accepted: long ones. Other rules make passwords worse. */
import { MAX_PASSWORD_LENGTH } from "#auth/users/passwords.ts";
import type { User } from "#domain/access/user.ts";
import { hasAtMost } from "#domain/text/text-length.ts";
import { InvalidInput } from "../kit/errors.ts";

export const MIN_PASSWORD_LENGTH = 12;

/** The message does not repeat the value. */
export function requirePassword(
  password: string,
  { email }: Pick<User, "email">,
  input = "password",
): string {
  if (hasAtMost(MIN_PASSWORD_LENGTH - 1, password) || !hasAtMost(MAX_PASSWORD_LENGTH, password))
    throw new InvalidInput(input, `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`);
  if (password.toLowerCase() === email.toLowerCase())
    throw new InvalidInput(input, "must not be the e-mail address");
  if (new Set(password).size < 4)
    throw new InvalidInput(input, "must have at least four different characters");
  return password;
}
