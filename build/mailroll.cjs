#!/usr/bin/env node
// The command of an installed Mailroll. Any Node can read this file, so that an old one can say what is needed.
"use strict";
var major = parseInt(process.versions.node, 10);
if (major < 24) {
  console.error(
    "mailroll: needs Node 24 or later, and this is Node " +
      process.versions.node +
      ". Install it from https://nodejs.org.",
  );
  process.exit(1);
}
var os = require("node:os");
var path = require("node:path");
// What Node makes of the program is kept for the next start, where only this user can write. Threads read the variable.
process.env.NODE_COMPILE_CACHE =
  process.env.NODE_COMPILE_CACHE ||
  path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "mailroll");
require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
import("../lib/main.js");
