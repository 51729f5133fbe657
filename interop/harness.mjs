// Starts `agentci serve llm` and runs tests, each with its own server.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));

/** Loads a pinned package. */
export const load = createRequire(join(process.env.INTEROP_HOME, "package.json"));

export async function serve(script = "model.yaml") {
  const child = spawn(process.env.AGENTCI, ["serve", "llm", join(folder, script)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const address = JSON.parse(line);
  return {
    openai: address.openai_base_url,
    anthropic: address.anthropic_base_url,
    azure: address.azure_endpoint,
    gemini: address.gemini_base_url,
    journal: async () => {
      const headers = { authorization: `Bearer ${address.control_token}` };
      return (await (await fetch(`${address.url}/__agentci/journal`, { headers })).json()).requests;
    },
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}

/** Runs the tests and counts the results. */
export async function main(tests) {
  let passed = 0;
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const started = performance.now();
    const server = await serve();
    try {
      await test(server);
      passed += 1;
      console.log(`ok ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}`);
      console.log(error);
    } finally {
      await server.stop();
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
