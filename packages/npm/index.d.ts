/**
 * Returns the path of the `agentci` binary for this platform.
 *
 * Throws an `Error` with the reason if there is none: the platform is not supported, or optional dependencies were not installed.
 */
export function binaryPath(): string;
