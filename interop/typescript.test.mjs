// Compares the results of scripts with those of the TypeScript compiler and Node.js.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, main } from "./harness.mjs";

const typescript = load("typescript");
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "fixtures", "typescript");

async function returned(source) {
  const compilerOptions = { target: "ESNext", module: "ESNext", useDefineForClassFields: true, isolatedModules: true };
  const { outputText } = typescript.transpileModule(source, { compilerOptions });
  const module = await import(`data:text/javascript,${encodeURIComponent(`${outputText}\nexport { f as __called };`)}`);
  return JSON.parse(JSON.stringify(module.__called()));
}

const tests = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".ts"))) {
  const name = basename(file, ".ts");
  tests[`${name} return what the test of Rust expects`] = async () => {
    const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
    // Compared as strings, since the order of fields matters as well.
    assert.equal(JSON.stringify(await returned(readFileSync(join(folder, file), "utf8"))), JSON.stringify(expected));
  };
}
await main(tests);
