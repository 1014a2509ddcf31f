/** Messages that another thread signs. */
import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { composeMessage, composeSignedBy, makeComposer } from "#delivery/mime/compose.ts";
import { SigningThread } from "#delivery/threads/composition.ts";
import { identity, outgoing } from "../mime/sample.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const composer = makeComposer({
  ...identity,
  dkim: { domain: "example.org", selector: "a", privateKey, leavesOut: [] },
});

test("signs like this thread, also many at once", async () => {
  const { sign } = new SigningThread();
  // Each message is composed before the one before it is signed.
  const messages = Array.from({ length: 50 }, (_, n) => ({
    ...outgoing,
    subscriber: n + 1,
    rendered: { subject: `News ${n}`, html: `<p>${"Hello ".repeat(n)}</p>`, text: `Hello ${n}` },
  }));
  const signed = await Promise.all(
    messages.map(async (message) => await composeSignedBy(sign, composer, message)),
  );
  assert.deepEqual(
    signed.map(({ bytes }) => bytes.toString()),
    messages.map((message) => composeMessage(composer, message).bytes.toString()),
  );
});

test("says what is wrong with a key, and goes on", async () => {
  const { sign } = new SigningThread();
  await assert.rejects(sign("text", createSecretKey(Buffer.alloc(32))), /key/i);
  assert.equal(Buffer.from(await sign("text", privateKey), "base64").length, 256);
});

test("ends the thread that uses it if it ends", async () => {
  const signer = `data:text/javascript,import { parentPort } from "node:worker_threads";
    parentPort.on("message", () => process.exit(3));`;
  const user = new Worker(
    `const { workerData: { module, signer, key } } = require("node:worker_threads");
     import(module).then(({ SigningThread }) => new SigningThread(new URL(signer)).sign("text", key));
     setInterval(() => {}, 1000);`,
    {
      eval: true,
      workerData: {
        module: new URL("../../../src/delivery/threads/composition.ts", import.meta.url).href,
        signer,
        key: privateKey,
      },
    },
  );
  const [error] = (await once(user, "error")) as [Error];
  assert.match(error.message, /the signing thread ended with code 3/);
});
