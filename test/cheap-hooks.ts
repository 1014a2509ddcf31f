/**
 * Preloaded by run.ts: node:test keeps for every promise to which test it belongs, and has the garbage
 * collector report the end of each. Without the second, tests take a twentieth less of processor time, and
 * not more memory.
 */
import hooks from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";

const { createHook } = hooks;
hooks.createHook = (callbacks) =>
  createHook(Object.fromEntries(Object.entries(callbacks).filter(([name]) => name !== "destroy")));
syncBuiltinESMExports();
