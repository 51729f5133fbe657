#!/usr/bin/env node
"use strict";
// Runs the program with the arguments, streams and signals of this process, and exits with its exit code or signal.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { binaryPath } = require("../index.js");

function start() {
  const path = binaryPath();
  // Handlers are installed before the program starts: a signal must not end this process and leave the program running.
  let child;
  const forward = (signal) => child.kill(signal);
  // A terminal sends Ctrl-C to the program too, so it is not forwarded a second time.
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
    // Ends this process with the same signal, for the parent process to see.
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
