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
var path = require("node:path");
// What Node makes of the program is kept for the next start, where only this user can write, if there is such a
// place. Threads read the variable.
var folder = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, ".cache"));
if (folder && !process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = path.join(folder, "mailroll");
if (process.env.NODE_COMPILE_CACHE) require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
void import("../lib/main.js");
