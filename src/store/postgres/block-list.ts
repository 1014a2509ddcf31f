/** Reads the block list. */
import type { Block } from "../../domain/block.ts";
import type { Args } from "../methods.ts";
import type { Connection } from "./sessions/connection.ts";

export const blocks = (db: Connection, { account }: Args<"blocks.all">): Promise<readonly Block[]> =>
  db.all<Block>(
    'SELECT pattern, created_at AS "createdAt" FROM block WHERE account_id = $1 ORDER BY pattern',
    account,
  );
