/** Values that no browser sends of its own accord, on both databases. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { databases, start } from "./both-databases.ts";

for (const [database, options] of databases) {
  test(`a part of an upload at no whole position is refused on ${database}`, async (t) => {
    const server = await start(t, options);
    const browser = await server.signedIn("editor");
    const begun = await browser.post("/console/1/imports", "begin", { fileName: "a.csv", size: "20" });
    const page = begun.headers.get("location") ?? "";
    for (const offset of ["abc", "0.5", "-1", "1e999", "9007199254740993"]) {
      const lines = [
        ...["--form", 'Content-Disposition: form-data; name="do"', "", "part"],
        ...["--form", 'Content-Disposition: form-data; name="offset"', "", offset],
        ...["--form", 'Content-Disposition: form-data; name="part"; filename="p"', "", "x", "--form--", ""],
      ];
      const headers = { "Content-Type": "multipart/form-data; boundary=form" };
      const refused = await browser.send("POST", page, { body: lines.join("\r\n"), headers });
      assert.equal(refused.status, 422, offset);
      assert.match(refused.body, /This is another file than the one whose upload began/);
    }
  });

  test(`the audit log is not searched for a null character on ${database}`, async (t) => {
    const server = await start(t, options);
    const browser = await server.signedIn(null);
    for (const path of ["/console/1/settings/audit-log", "/console/installation/audit-log"]) {
      const { status, body } = await browser.get(`${path}?action=%00`);
      assert.equal(status, 400);
      assert.match(body, /Action is not the name of an action/);
    }
  });
}
