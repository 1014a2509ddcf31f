/** Users: who they are, what they prove it with, and their tokens. */
import type { Users } from "#domain/ports/access/users.ts";
import { feature } from "../kit/feature.ts";
import { userCredentials } from "./credentials.ts";
import { userSettings } from "./settings.ts";
import { userTokens } from "./tokens.ts";

export const users = feature<Users>({ ...userSettings, ...userCredentials, ...userTokens });
