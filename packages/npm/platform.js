"use strict";
// Finds the package with the binary for this platform. As a preinstall script, it fails with a one-line message if the platform is
// not supported; it downloads nothing.

const supported = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** Why agentci does not run on this machine; undefined if it does. */
function refusal() {
  if (process.platform === "win32") {
    return "agentci does not run on Windows: install it inside WSL, the Windows Subsystem for Linux";
  }
  const machine = `${process.platform}-${process.arch}`;
  if (!supported.includes(machine)) {
    return `there is no agentci binary for ${machine}; supported platforms: ${supported.join(", ")}`;
  }
  if (process.platform === "linux" && !usesGlibc()) {
    return "there is no agentci binary for Linux without glibc, such as Alpine: use a Debian image, or build it with cargo";
  }
  return undefined;
}

function usesGlibc() {
  // Runtimes other than Node.js may not have it.
  if (process.report === undefined) {
    return true;
  }
  // Skips the lookup of peer host names, which can take seconds.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

module.exports = { refusal, platformPackage: `@agentci-replay/${process.platform}-${process.arch}` };

if (require.main === module) {
  const reason = refusal();
  if (reason !== undefined) {
    console.error(reason);
    process.exitCode = 1;
  }
}
