//! Joins the style and the script of each page, and writes the policy that allows only these.
//!
//! The policy has a hash of both. Computing it in every run took two fifths of the instructions of a run of one case.

use std::error::Error;
use std::path::Path;
use std::{env, fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

struct Page {
    name: &'static str,
    style: &'static [&'static str],
    /// The files of the script: one scope, so that they see each other and leak no globals.
    script: &'static [&'static str],
}

const REPORT: Page = Page {
    name: "report",
    style: &[
        "src/html/assets/base.css",
        "src/html/assets/overview.css",
        "src/html/assets/table.css",
        "src/html/assets/case.css",
        "src/html/assets/trace.css",
        "src/html/assets/print.css",
    ],
    script: &[
        "src/html/assets/dom.js",
        "src/html/assets/data.js",
        "src/html/assets/state.js",
        "src/html/assets/charts.js",
        "src/html/assets/json.js",
        "src/html/assets/tree.js",
        "src/html/assets/filter.js",
        "src/html/assets/table.js",
        "src/html/assets/findings.js",
        "src/html/assets/lanes.js",
        "src/html/assets/trace.js",
        "src/html/assets/compare.js",
        "src/html/assets/case.js",
        "src/html/assets/keys.js",
        "src/html/assets/start.js",
    ],
};

const DIFF: Page = Page {
    name: "diff",
    style: &["src/html/assets/base.css", "src/trajectory_diff/assets/diff.css"],
    script: &["src/trajectory_diff/assets/diff.js"],
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::var("OUT_DIR")?;
    for page in [REPORT, DIFF] {
        let style = joined(page.style)?;
        let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", joined(page.script)?);
        let write = |extension: &str, text: &str| {
            fs::write(Path::new(&folder).join(format!("{}.{extension}", page.name)), text)
        };
        write("policy", &policy(&style, &script))?;
        write("css", &style)?;
        write("js", &script)?;
    }
    Ok(())
}

fn joined(files: &[&str]) -> io::Result<String> {
    let mut text = String::new();
    for file in files {
        println!("cargo::rerun-if-changed={file}");
        text += &fs::read_to_string(file).map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))?;
    }
    Ok(text)
}

/// The page loads and sends nothing, and its script never turns text into markup.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("sha256-{}", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(style),
        hash(script)
    )
}
