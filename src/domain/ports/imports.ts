/** Imports of subscribers and suppressions. */
import type { Audited } from "../access/audit.ts";
import type { ImportId, Origin } from "../access/origin.ts";
import type { Address } from "../address.ts";
import type { ImportBatch, ImportCounts, NewImportBatch } from "../import/batch.ts";
import type { ImportJob, ImportProgress } from "../import/job.ts";
import type {
  Imported,
  ImportedPerson,
  ImportOptions,
  ImportState,
  SubscriberCapacity,
} from "../import/rules.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { JobResult } from "../job/result.ts";
import type { ListId } from "../list.ts";
import type { OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

interface StartImportJob extends OfAccount, Audited {
  /** null: a dry run, which is not recorded. */
  readonly batch: (NewImportBatch & { readonly counts: ImportCounts }) | null;
  readonly job: Omit<ImportJob, "batch">;
  /** What the job shows before it has done anything; the id of the import is added as `import`. */
  readonly result: JobResult;
  readonly at: number;
  readonly lease: LeaseRequest;
}
interface StartedImport {
  readonly batch: ImportId | null;
  readonly lease: Lease;
}

export interface Imports {
  /** The newest first. */
  readonly all: Listing<OfAccount, ImportBatch>;
  byId(args: OfAccount & { readonly id: ImportId }): Promise<ImportBatch | null>;
  /** The state that an import of each of these addresses would find. */
  states(
    args: OfAccount & { readonly list: ListId | null; readonly addresses: readonly Address[] },
  ): Promise<SubscriberCapacity & { readonly states: readonly ImportState[] }>;
  /** Records the start of an import, with counts of zero. */
  start(args: NewImportBatch & OfAccount & Audited & { readonly counts: ImportCounts }): Promise<ImportId>;
  /**
   * The same for an import by a job, which it creates, too; the import of a dry run is null. "Running": the
   * upload is being imported. "TooMany": the account has too many jobs already.
   */
  startJob(args: StartImportJob): Promise<StartedImport | "Running" | "TooMany">;
  /**
   * Imports many subscribers, in order and in one transaction, into a list, or into none if it is null.
   * Returns null if the account has no such list. Throws ImportMoved if the progress is not where the command
   * continues.
   */
  add(
    args: ImportOptions &
      OfAccount & {
        readonly batch: ImportId;
        /**
         * The counts of the preceding rows. Together with the counts of this command they are saved as the
         * counts of the import so far.
         */
        readonly counts: ImportCounts;
        readonly at: number;
        readonly people: readonly ImportedPerson[];
        /** Saved with the rows, as the version after that which is stored. */
        readonly progress?: ImportProgress;
      },
  ): Promise<readonly Imported[] | null>;
  /**
   * Starts the job that undoes an import, or counts what that would do. From then on, the import adds no more
   * rows, unless it is a dry run. "Importing": a job still imports its file. "Running": another undo does.
   * "Undone": it was undone meanwhile. "TooMany": as above.
   */
  undo(
    args: OfAccount &
      Audited & {
        readonly id: ImportId;
        readonly isDryRun: boolean;
        readonly origin: Origin;
        readonly at: number;
        readonly lease: LeaseRequest;
      },
  ): Promise<Lease | "Importing" | "Running" | "Undone" | "TooMany">;
  /** null: at the beginning. */
  progress(args: OfAccount & { readonly id: ImportId }): Promise<ImportProgress | null>;
  finish(
    args: OfAccount & {
      readonly id: ImportId;
      readonly counts: ImportCounts;
      readonly finishedAt: number;
    },
  ): Promise<null>;
}
