/** Asks PostgreSQL for the columns of a statement, without running it. */
import type { Client, Connection, FieldDef, Submittable } from "pg";

export function describeStatement(client: Client, sql: string): Promise<readonly FieldDef[]> {
  return new Promise((resolve, reject) => {
    let columns: readonly FieldDef[] = [];
    let failure: Error | null = null;
    const query = {
      submit(connection: Connection): void {
        connection.parse({ name: "", text: sql, types: [] }, true);
        connection.describe({ type: "S", name: "" }, true);
        connection.sync();
      },
      handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
        columns = fields;
      },
      handleError(error: Error): void {
        failure = error;
        query.handleReadyForQuery();
      },
      handleReadyForQuery(): void {
        if (failure === null) resolve(columns);
        else reject(failure);
      },
    };
    client.query(query as Submittable);
  });
}
