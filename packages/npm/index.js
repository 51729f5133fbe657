"use strict";

const { platformPackage, refusal } = require("./platform.js");

exports.binaryPath = function binaryPath() {
  try {
    return require.resolve(`${platformPackage}/agentci`);
  } catch {
    throw new Error(
      refusal() ??
        `the package ${platformPackage} is not installed: reinstall on this machine, with optional dependencies`,
    );
  }
};
