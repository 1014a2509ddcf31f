/** Frees what deleted rows take, so that the server may use their place; others are not kept waiting. */
import { tables } from "../tables.ts";
import { openSession } from "./session.ts";

export const rewrite = (url: string): Promise<void> =>
  openSession(url, async (session) => {
    await session.ask((db) => db.exec(`VACUUM ${tables.map(({ name }) => name).join(", ")}`));
    await session.close();
  });
