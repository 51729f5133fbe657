#!/usr/bin/env node
"use strict";
// Runs the program with the arguments, streams and signals of this process, and ends as it ends.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { binaryPath } = require("../index.js");

function start() {
  const path = binaryPath();
  // Before the program is started: a signal must not end this process and leave the program behind.
  let child;
  const forward = (signal) => child.kill(signal);
  // A terminal sends Ctrl-C to the program as well, and it must not get it twice.
  const terminal = [0, 1, 2].some((stream) => isatty(stream));
  process.on("SIGINT", terminal ? () => {} : forward);
  process.on("SIGTERM", forward);
  process.on("SIGHUP", forward);
  child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // Whoever waits for this process sees the signal that ended the program.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    process.exitCode = 128 + constants.signals[signal];
  });
}

function fail(error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

try {
  start();
} catch (error) {
  fail(error);
}
