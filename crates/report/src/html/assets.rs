//! The style and the script of the page, and the policy that allows only these; `build.rs` writes them.

pub(super) const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/report.css"));
pub(super) const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/report.js"));
pub(super) const POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/report.policy"));
