/** `…/subscribers/{subscriber}/download`: everything about a person, as the API exports it. */
import { exportSubscriber } from "#admin/subscribers/record.ts";
import { toPerson } from "#api/v2/routes/subscribers/person.ts";
import { download, page } from "#console/kit/page.ts";
import { DOWNLOAD } from "./links.ts";

export const downloadPage = page({
  path: DOWNLOAD,
  show: async (visit) => {
    const id = visit.params.subscriber;
    const found = await visit.perform(exportSubscriber, { account: visit.account.id, id });
    return download({
      // Names of files are seen by others: not the address.
      fileName: `subscriber-${id}.json`,
      contentType: "application/json; charset=utf-8",
      chunks: once(`${JSON.stringify(toPerson(found), null, 2)}\n`),
    });
  },
});

async function* once(text: string): AsyncIterable<string> {
  yield text;
}
