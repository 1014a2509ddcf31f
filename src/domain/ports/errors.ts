/** The errors of a store that its callers distinguish. All others are defects. */

/**
 * The database does not respond, is full, or is locked by another process: the same call may succeed later.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}
/** The connection was lost during a commit, so its result is not known. */
export class CommitUnknown extends StoreUnavailable {
  /** The result of the write if it was committed. */
  readonly result: unknown;

  constructor(message: string, result: unknown) {
    super(message);
    this.result = result;
  }
}
/** The open file is no longer the one at the configured path, so writes to it would be lost. */
export class DatabaseFileReplaced extends StoreUnavailable {
  override readonly name = "DatabaseFileReplaced";
}
/** The disk is full, or fails. Smaller writes may still succeed. */
export class DiskFailed extends StoreUnavailable {
  override readonly name = "DiskFailed";
}
/** The database cannot be used; the message has the reason and what to do, in one line. */
export class StoreRefused extends Error {
  override readonly name: string = "StoreRefused";
}
/** A version before this one wrote it, and it may not be migrated here. */
export class OlderSchema extends StoreRefused {
  override readonly name = "OlderSchema";
}
/** Another process has continued the import; nothing was changed. */
export class ImportMoved extends Error {
  override readonly name = "ImportMoved";
}
/** The import is being undone, or was, so it adds no more rows; nothing was changed. */
export class ImportUndone extends Error {
  override readonly name = "ImportUndone";
}
/** The text is not a cursor of this listing. */
export class InvalidCursor extends Error {
  override readonly name = "InvalidCursor";
}
/** The idempotency key belongs to another request of the same user. Nothing was changed. */
export class IdempotencyKeyReused extends Error {
  override readonly name: string = "IdempotencyKeyReused";
}
/** The request was executed, and the person whom its result was about was erased since. No change. */
export class ResultErased extends IdempotencyKeyReused {
  override readonly name = "ResultErased";
}
/** The thing has another version than the command expects. Nothing was changed. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
}
/**
 * Not all of the test messages fit into what their sender may send in an hour. Nothing was changed, so a
 * request with an idempotency key can be repeated later. The message says how many were sent.
 */
export class TestLimitReached extends Error {
  override readonly name = "TestLimitReached";
}
