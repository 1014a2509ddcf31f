/** Pages of long lists from the thread that reads them. The thread starts with the first page. */

import type { StoreLoad } from "#domain/ports/store.ts";
import { threadModule } from "#shipped.ts";
import type { WrittenRows } from "../../reads/paging.ts";
import { Thread } from "../../threads/thread.ts";
import type { PageCall } from "../hot/list-reader.ts";
import { type ListThreadData, newSharedConnections, sharedConnections } from "./shared-connections.ts";

export class ListPages {
  readonly #shared = newSharedConnections();
  readonly #thread: Thread<null>;

  constructor(url: string, replica: string | null) {
    const data: ListThreadData = { url, replica, shared: this.#shared };
    this.#thread = new Thread(threadModule("store/postgres/threads/list-thread.ts"), data);
  }

  page(call: PageCall): Promise<WrittenRows> {
    return this.#thread.ask(call) as Promise<WrittenRows>;
  }

  /** A thread that died has none, whatever it shared last. */
  get connections(): StoreLoad["connections"] {
    return this.#thread.isRunning ? sharedConnections(this.#shared) : { busy: 0, idle: 0, waiting: 0 };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
