/** Test messages: as those of the campaign, but for their mark and their links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dkimVerify } from "mailauth";
import type { RenderedMessage, TestSent } from "#admin/campaigns/preview.ts";
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import { newDkimKey, publicKeyOf } from "#domain/sending/sender.ts";
import { startServer } from "../../delivery/smtp/smtp-server.ts";
import { draftIn } from "../../sending-campaign.ts";
import { installation, performNamed, store } from "../audited-installation.ts";

test("a test message carries the DKIM signature of the sender, and a preview has no signature", async () => {
  await using server = await startServer({ disabledCommands: ["STARTTLS"] });
  const dkimKey = await newDkimKey();
  const signing: Partial<SenderValues> = {
    ...{ signing: "mailroll" as const, dkimDomain: "example.org", dkimSelector: "autumn", dkimKey },
    relays: [{ url: `smtp://127.0.0.1:${server.port}`, weight: 1, allowsInner: true }],
  };
  const one = await draftIn(store, await installation(), {}, signing);
  const sent = (await performNamed("campaign.testSend", {
    ...one,
    to: ["me@example.com"],
  })) as readonly TestSent[];
  assert.equal(sent[0]?.isAccepted, true, sent[0]?.reply);
  const message = server.delivered[0] ?? assert.fail("nothing was delivered");
  const { results } = await dkimVerify(message.bytes, {
    resolver: async (name: string) => {
      assert.equal(name, "autumn._domainkey.example.org");
      return [[`v=DKIM1; k=rsa; p=${publicKeyOf(dkimKey)}`]];
    },
  } as Parameters<typeof dkimVerify>[1]);
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ["pass"],
  );
  const preview = (await performNamed("campaign.preview", { ...one, email: null })) as RenderedMessage;
  assert.doesNotMatch(JSON.stringify([sent, preview]), /DKIM-Signature|PRIVATE KEY/i);
});
