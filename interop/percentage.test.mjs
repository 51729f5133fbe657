// The percentages of report.html are rounded as in all other reports: the table is that of `rounding.rs`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

const crate = join(dirname(dirname(fileURLToPath(import.meta.url))), "crates/report/src");
const percentage = runInNewContext(`${readFileSync(join(crate, "html/assets/dom.js"), "utf8")}\npercentage;`);
const TABLE = [
  [0, "0 %"], [0.29, "29 %"], [2 / 3, "66.7 %"], [0.875, "87.5 %"], [0.996, "99.6 %"], [1, "100 %"],
  [0.004, "0.4 %"], [0.0004, "0.04 %"], [0.00004, "0.004 %"], [0.9996, "99.96 %"], [0.99996, "99.996 %"], [1999 / 2000, "99.95 %"],
];

const rust = readFileSync(join(crate, "rounding.rs"), "utf8");
for (const [fraction, text] of TABLE) {
  assert.equal(percentage(fraction), text);
  assert.ok(rust.includes(`"${text}"`), text);
}
console.log("ok percentages are rounded as in other reports");
console.log("1 passed, 0 failed");
