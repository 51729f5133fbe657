/**
 * The path of the `agentci` program for this machine.
 *
 * Throws an `Error` that says why where there is none: the machine is not supported, or optional dependencies were left out.
 */
export function binaryPath(): string;
