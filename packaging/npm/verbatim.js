#!/usr/bin/env node
// Runs the program of this system, which is in a package of its own, with the same arguments.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `verbatim-cli-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "verbatim.exe" : "verbatim";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  const known = Object.keys(require("../package.json").optionalDependencies);
  const why = known.includes(name)
    ? `the package ${name} is not installed. Install verbatim-cli again, with optional dependencies`
    : `there is no program for ${process.platform} on ${process.arch}`;
  console.error(`error: ${why}`);
  process.exit(3);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

// The terminal sends Ctrl-C to the program too: it decides. Other signals are passed on.
const passed = ["SIGTERM", "SIGHUP"];
process.on("SIGINT", () => {});
for (const signal of passed) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => {
  console.error(`error: ${program} can't be started: ${error.message}`);
  process.exit(3);
});

child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // This process ends as the program did.
  for (const known of ["SIGINT", ...passed]) {
    process.removeAllListeners(known);
  }
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + os.constants.signals[signal]), 100);
});
