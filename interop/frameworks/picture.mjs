// Takes a screenshot of the failing case of a report: node picture.mjs REPORT PNG. Needs CHROMIUM and INTEROP_HOME.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [report, picture] = process.argv.slice(2);
const { chromium } = createRequire(join(process.env.INTEROP_HOME, "viewer", "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1000, height: 560 }, colorScheme: "light" });
await page.goto(pathToFileURL(resolve(report)).href);
await page.locator("table.cases .name a").first().click();
await page.locator(".finding").first().waitFor();
mkdirSync(dirname(picture), { recursive: true });
await page.screenshot({ path: picture });
await browser.close();
