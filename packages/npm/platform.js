"use strict";
// Which of the platform packages holds the program for this machine. As a script it runs before the package is installed, and
// refuses in one sentence where there is none; it downloads nothing.

const supported = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** What is wrong with this machine; nothing where agentci runs. */
function refusal() {
  if (process.platform === "win32") {
    return "agentci does not run on Windows: install it inside WSL, the Windows Subsystem for Linux";
  }
  const machine = `${process.platform}-${process.arch}`;
  if (!supported.includes(machine)) {
    return `agentci has no program for ${machine}, only for ${supported.join(", ")}`;
  }
  if (process.platform === "linux" && !usesGlibc()) {
    return "agentci has no program for Linux without glibc, such as Alpine: use an image on Debian, or build it with cargo";
  }
  return undefined;
}

function usesGlibc() {
  // Other runtimes than Node.js do not tell.
  if (process.report === undefined) {
    return true;
  }
  // Looking up the names of network peers can take seconds, and they are not needed.
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
