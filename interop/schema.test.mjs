// The schemas of `agentci schema` in the YAML language server that editors use: valid files have no errors, invalid files have
// errors near those of `agentci check`, and keys have completions and descriptions.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { YamlServer } from "./yaml_server.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const schemas = mkdtempSync(join(tmpdir(), "schemas-"));
execFileSync(process.env.AGENTCI, ["schema", "--out", schemas], { stdio: ["ignore", "inherit", "ignore"] });
const schema = (name) => join(schemas, `${name}.schema.json`);
const read = (path) => readFileSync(join(project, path), "utf8");

const RIGHT = {
  native: ["examples/quickstart/agentci.yaml", "examples/scenario/agentci.yaml"],
  "model-script": ["examples/yao/models/demo.yaml", "interop/model.yaml"],
  runledger: ["examples/evals/demo/suite.yaml", "examples/evals/polling/suite.yaml"],
  "runledger-case": ["examples/evals/demo/cases/t1.yaml", "examples/evals/polling/cases/export.yaml"],
  scenario: ["examples/scenario/tests/us_payroll/why_net_lower.yaml", "examples/scenario/tests/uk_payroll/tax_code.yaml"],
  ananke: ["examples/mcp/tests/search.test.yaml", "examples/a2a/tests/parts.test.yaml", "examples/conversations/tests/checkout.test.yaml"],
  "ananke-config": ["examples/mcp/ananke.config.yaml", "examples/a2a/ananke.config.yaml"],
  "yao-prompts": ["examples/yao/agent/prompts.yml"],
};

const TESTS = {
  async "valid files have no errors"(server) {
    for (const [name, paths] of Object.entries(RIGHT)) {
      for (const path of paths) {
        assert.deepEqual((await server.open(read(path), schema(name))).wrong, [], path);
      }
    }
  },

  async "invalid files are marked near the lines that check reports"(server) {
    const gallery = "fixtures/errors";
    let marked = 0;
    for (const name of readdirSync(join(project, gallery)).filter((name) => name.startsWith("native-"))) {
      const path = `${gallery}/${name}/agentci.yaml`;
      if (!existsSync(join(project, path))) continue;
      const told = read(`${gallery}/${name}.stderr`);
      const { wrong } = await server.open(read(path), schema("native"));
      // For a file that is not YAML, the language server has its own messages.
      if (["native-key-missing-before-colon", "native-merge-of-text"].includes(name)) continue;
      const lines = [...told.matchAll(/agentci\.yaml:(\d+):/g)].map(([, line]) => Number(line));
      const near = ({ line }) => lines.some((said) => Math.abs(said - line) <= 2);
      assert.deepEqual(wrong.filter((problem) => !near(problem)), [], `${name}: ${told}`);
      marked += wrong.length > 0 ? 1 : 0;
    }
    assert(marked >= 20, `only ${marked} of them are marked`);
  },

  async "merge keys, empty keys and old words for true are understood"(server) {
    const text = "suite: a\ntarget: { process: { command: [x] } }\ncases:\n  - &first\n    id: a\n    input: {}\n    limits:\n" +
      "    skip: yes\n  - <<: *first\n    id: b\n    checks: [no_pii, { not: { contains: x } }]\n";
    assert.deepEqual((await server.open(text, schema("native"))).wrong, []);
  },

  async "keys are offered and explained"(server) {
    const begun = "suite: a\ncases:\n  - id: x\n    input: {}\n";
    const asking = await server.open(`${begun}    checks:\n      - \n`, schema("native"));
    const checks = await server.completions(asking.uri, 6, 8);
    for (const check of ["contains", "tool_called", "not"]) assert(checks.includes(check), `${check}: ${checks}`);
    const { uri } = await server.open(`${begun}    \n`, schema("native"));
    const keys = await server.completions(uri, 5, 4);
    for (const key of ["turns", "world", "runs"]) assert(keys.includes(key), `${key}: ${keys}`);
    assert(!keys.includes("cases"), keys.join());
    assert.match(await server.hover(uri, 4, 6), /Input of the agent as data/);
  },

  async "what is offered depends on the type of a turn"(server) {
    const { uri } = await server.open('version: "1.2"\nname: a\nturns:\n  - type: mcp:call\n    \n', schema("ananke"));
    const keys = await server.completions(uri, 5, 4);
    assert(keys.includes("tool") && keys.includes("args") && !keys.includes("user"), keys.join());
  },
};

let passed = 0;
let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  const server = await YamlServer.start();
  try {
    await test(server);
    passed += 1;
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}`);
    console.log(error);
  } finally {
    server.stop();
  }
}
rmSync(schemas, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
