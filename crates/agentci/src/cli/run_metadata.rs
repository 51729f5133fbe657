//! What the first event of a run tells beside the suite: the commit, who asks, and what was asked for on the command line.

use std::collections::BTreeMap;
use std::path::Path;

use agentci::formats::default_chat_context;
use agentci::plan::{Dialect, Suite, Target};
use agentci::runner::Facts;
use agentci::source::print_duration;
use serde_json::Value;

use super::run::RunArguments;

/// The facts of a run that keeps its results in a folder of this name, and perhaps in a file beside its tests.
pub(super) fn facts(arguments: &RunArguments, suite: &Suite, run_id: &str, default_out: Option<&Path>) -> Facts {
    Facts {
        run_id: run_id.to_owned(),
        git_sha: commit(),
        agent_path: agent_path(arguments, suite),
        environment: environment(arguments, suite),
        options: options(arguments, default_out),
        ..Facts::default()
    }
}

/// The folder of the assistant that the tests belong to, where no flag chose another.
fn agent_path(arguments: &RunArguments, suite: &Suite) -> Option<String> {
    if suite.dialect != Dialect::Yao || arguments.dialects.agent().is_some() {
        return None;
    }
    let folder = suite.path.ancestors().skip(1).find(|folder| folder.join("package.yao").is_file())?;
    Some(if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() })
}

/// Who asks agents that are prompts and a model, unless a case says otherwise.
fn environment(arguments: &RunArguments, suite: &Suite) -> BTreeMap<String, String> {
    if !suite.cases.iter().any(|case| matches!(&*case.target, Target::Chat(_))) {
        return BTreeMap::new();
    }
    let (flags, usual) = (arguments.dialects.yao(), default_chat_context());
    let usual = |key: &str| usual.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let facts = [
        ("user_id", flags.user.clone().unwrap_or_else(|| usual("user"))),
        ("team_id", flags.team.clone().unwrap_or_else(|| usual("team"))),
        ("locale", usual("locale")),
        ("client_type", usual("client_type")),
        ("client_ip", usual("client_ip")),
        ("referer", usual("referer")),
        ("accept", usual("accept")),
    ];
    facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect()
}

/// What was asked for, by the name of the flag.
fn options(arguments: &RunArguments, default_out: Option<&Path>) -> BTreeMap<String, Value> {
    let yao = arguments.dialects.yao();
    let out = arguments.reports.first_out().map(str::to_owned).or(default_out.map(|path| path.display().to_string()));
    let options: [(&str, Option<Value>); 9] = [
        ("connector", yao.connector.as_deref().map(Value::from)),
        ("retries", (arguments.retries > 0).then(|| arguments.retries.into())),
        ("fail_fast", arguments.fail_fast.then_some(true.into())),
        ("out", out.map(Value::from)),
        ("parallel", arguments.parallel.map(Value::from)),
        ("reporter", arguments.reporter.as_deref().map(Value::from)),
        ("runs", arguments.runs.map(Value::from)),
        ("timeout", arguments.timeout.map(|limit| print_duration(limit).into())),
        ("verbose", arguments.verbose.then_some(true.into())),
    ];
    options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The commit under test, where the CI says so.
fn commit() -> Option<String> {
    ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok()).filter(|sha| !sha.is_empty())
}
