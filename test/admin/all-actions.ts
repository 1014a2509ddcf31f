/** Every action that a file of src/admin exports. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "#admin/kit/action.ts";

const folder = join(import.meta.dirname, "../../src/admin");
const isAction = (value: unknown): value is Action<object, unknown> =>
  typeof value === "object" && value !== null && "run" in value && "role" in value;

export const actions = (
  await Promise.all(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map(async (file) => Object.values((await import(join(folder, file))) as Record<string, unknown>)),
  )
)
  .flat()
  .filter(isAction);
