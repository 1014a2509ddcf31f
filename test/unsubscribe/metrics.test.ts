/** What /metrics counts of unsubscribe links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { startUnsubscribeService } from "./unsubscribe-service.ts";

test("counts opt-outs by link that were stored, by what was asked for", async () => {
  const tested = await startUnsubscribeService({ "metrics-port": "0" });
  try {
    const ada = await tested.join("ada@example.org");
    const grace = await tested.join("grace@example.org");
    await tested.get(ada);
    await tested.post(ada);
    await tested.post(ada, "/undo");
    await tested.post(ada, "/undo");
    await tested.post(ada);
    await tested.post(grace, `/list/${tested.lists.news}`);
    // Nothing is stored: a list of no campaign, no list, no person, no link.
    await tested.post(grace, `/list/${tested.lists.other}`);
    await tested.post(grace, "/list/x");
    await tested.post("preview");
    await tested.post("invalid");
    const text = await (await fetch(`http://127.0.0.1:${tested.service.metricsPort}/metrics`)).text();
    const families = parseOpenMetrics(text);
    const counted = ["unsubscribe", "leave_list", "undo"].map((action) =>
      valueIn(families, "mailroll_link_opt_outs_total", { action }),
    );
    assert.deepEqual(counted, [2, 1, 1]);
  } finally {
    await tested.service.close();
  }
});
