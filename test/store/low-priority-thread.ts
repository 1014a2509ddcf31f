/** A thread that lowers its priority, and reports it. */
import { readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "#threads/low-priority.ts";

lowerPriority();
parentPort?.postMessage(getPriority(Number(basename(readlinkSync("/proc/thread-self")))));
