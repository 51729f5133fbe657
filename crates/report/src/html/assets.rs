//! The style and the script of the page, and the policy that allows only these.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

pub(super) const STYLE: &str = concat!(
    include_str!("assets/base.css"),
    include_str!("assets/overview.css"),
    include_str!("assets/table.css"),
    include_str!("assets/case.css"),
    include_str!("assets/trace.css"),
    include_str!("assets/print.css"),
);

/// The script: one scope, so that its files see each other and leak no globals.
pub(super) const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("assets/dom.js"),
    include_str!("assets/data.js"),
    include_str!("assets/state.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/json.js"),
    include_str!("assets/tree.js"),
    include_str!("assets/filter.js"),
    include_str!("assets/table.js"),
    include_str!("assets/findings.js"),
    include_str!("assets/lanes.js"),
    include_str!("assets/trace.js"),
    include_str!("assets/compare.js"),
    include_str!("assets/case.js"),
    include_str!("assets/keys.js"),
    include_str!("assets/start.js"),
    "})();\n",
);

/// The page loads and sends nothing; only the style and the script above are allowed, and the script never turns text
/// into markup.
pub(super) fn policy() -> String {
    policy_of(STYLE, SCRIPT)
}

/// The policy of a page that allows only this style and this script.
pub(crate) fn policy_of(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(style),
        hash(script)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
