/** Reads the block list. */
import type { Block } from "../../domain/block.ts";
import type { Reads } from "../../domain/ports.ts";
import type { Connection } from "./sessions/connection.ts";

export const blocks = (db: Connection, { account }: Reads["blocks"]["args"]): Promise<readonly Block[]> =>
  db.all<Block>(
    'SELECT pattern, created_at AS "createdAt" FROM block WHERE account_id = $1 ORDER BY pattern',
    account,
  );
