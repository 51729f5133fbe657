//! Keys that are read and checked but have no effect yet.

use agentci_plan::{Diagnostic, Diagnostics, Node, Reading, read};

const THRESHOLDS: [&str; 5] = [
    "min_pass_rate",
    "min_success_rate",
    "max_avg_wall_ms_delta_pct",
    "max_p95_wall_ms_delta_pct",
    "max_p95_wall_ms_increase_pct",
];

/// Takes the keys of a suite that have no effect.
pub(super) fn suite(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) {
    for key in ["tool_module", "baseline_path"] {
        if let Some(node) = fields.optional(key) {
            read::name(node, key, problems);
        }
    }
    if let Some(node) = fields.optional("regression") {
        regression(node, problems);
    }
    warn(
        fields,
        "tool_module",
        "`tool_module` is used in record and live mode only, which this version does not have yet",
        problems,
    );
    warn(fields, "baseline_path", "`baseline_path` is not compared yet", problems);
    warn(fields, "regression", "`regression` is not compared yet", problems);
    normalization(fields, problems);
}

/// Takes `normalization`, of a suite or a case.
pub(super) fn normalization(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) {
    if let Some(node) = fields.optional("normalization") {
        normalization_shape(node, problems);
    }
    warn(fields, "normalization", "`normalization` is not applied yet", problems);
}

fn warn(fields: &mut read::Fields<'_>, key: &'static str, message: &str, problems: &mut Diagnostics) {
    if fields.optional(key).is_some() {
        let span = fields.key_span(key).unwrap_or(fields.span());
        problems.push(
            Diagnostic::warning(span, message)
                .label("read, but without effect")
                .help("nothing needs to be done; the key may stay for tools that use it"),
        );
    }
}

fn regression(node: &Node, problems: &mut Diagnostics) {
    let Some(mut fields) = read::Fields::open(node, "`regression`", problems) else { return };
    for key in THRESHOLDS {
        if let Some(node) = fields.optional(key) {
            read::number(node, key, problems);
        }
    }
    // Other keys are allowed here, so the fields are not finished.
}

fn normalization_shape(node: &Node, problems: &mut Diagnostics) {
    let Some(mut fields) = read::Fields::open(node, "`normalization`", problems) else { return };
    for key in ["strip_keys", "strip_paths"] {
        if let Some(node) = fields.optional(key) {
            read::texts(node, key, problems);
        }
    }
    if let Some(node) = fields.optional("replace_paths") {
        read::object(node, "replace_paths", Reading::Legacy, problems);
    }
    if let Some(node) = fields.optional("replace_text") {
        for item in read::list(node, "replace_text", problems).unwrap_or_default() {
            replacement(item, problems);
        }
    }
    fields.finish(problems);
}

fn replacement(node: &Node, problems: &mut Diagnostics) {
    let Some(mut fields) = read::Fields::open(node, "a text replacement", problems) else { return };
    if let Some(node) = fields.required("pattern", problems) {
        read::text(node, "pattern", problems);
    }
    for key in ["replacement", "flags"] {
        if let Some(node) = fields.optional(key) {
            read::text(node, key, problems);
        }
    }
    fields.finish(problems);
}
