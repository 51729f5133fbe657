// Starts Chromium, writes pages with `agentci report`, and runs tests on them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const home = process.env.INTEROP_HOME;

/** Loads a pinned package. */
export const load = createRequire(join(home, "viewer", "package.json"));
/** The folders for pages and screenshots. */
export const runs = join(home, "viewer", "runs");
export const pictures = join(home, "screenshots");

const { chromium } = load("playwright-core");

/** Writes the HTML report of a stored run. */
export function makeReport(folder) {
  const made = spawnSync(process.env.AGENTCI, ["report", folder, "--report", "html"], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  assert.ok(!made.stderr.includes("warning"), made.stderr);
  return join(folder, "report.html");
}

/** Retries until `look` succeeds: a page is redrawn after a click, not during it. */
export async function eventually(look) {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((again) => setTimeout(again, 50));
    }
  }
}

/** Runs a suite and writes its HTML report. */
export function runSuite(folder, suite) {
  const page = join(folder, `${suite}.html`);
  const ran = spawnSync(process.env.AGENTCI, ["run", suite, "--mode", "replay", "--report", `html=${page}`, "--output-dir", join(folder, "out")], {
    cwd: folder, encoding: "utf8", timeout: 60_000,
  });
  assert.equal(ran.status, 1, `${suite}: ${ran.stdout}${ran.stderr}`);
  assert.ok(existsSync(page), `${suite}: ${ran.stdout}${ran.stderr}`);
  return page;
}

/** Opens a page; `close` fails if it sent requests, logged errors, or opened dialogs or windows. */
export async function open(browser, file, hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const trouble = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(error.stack));
  page.on("dialog", (dialog) => trouble.push(`asked: ${dialog.message()}`));
  page.on("request", (request) => request.url().split("#")[0] !== pathToFileURL(file).href && trouble.push(`asked for ${request.url()}`));
  page.on("popup", () => trouble.push("a window was opened"));
  await page.goto(pathToFileURL(file).href + hash);
  if (options.javaScriptEnabled !== false) await ready(page);
  return {
    page,
    close: async () => {
      await context.close();
      assert.deepEqual(trouble, []);
    },
  };
}

/** Waits until the script has unpacked its data and rendered the page. */
export async function ready(page) {
  await page.locator(".counter, .case-head").first().waitFor();
}

/** Runs the tests and counts the results. */
export async function main(tests) {
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: sandbox, timeout: 30_000 });
  let passed = 0;
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const started = performance.now();
    try {
      await test(browser);
      passed += 1;
      console.log(`ok ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}`);
      console.log(error);
    }
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
