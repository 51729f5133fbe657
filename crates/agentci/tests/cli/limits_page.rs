//! Compares `docs/reference/limits.md` with the code: every listed limit exists, and every limit is listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Constants that have the type or the name of a limit but are not limits: the reason, then file and name.
const NO_LIMITS: [(&str, &[(&str, &str)]); 6] = [
    (
        "how much of something a message tells",
        &[
            ("agentci/src/cli/record/summary.rs", "MOST_SHOWN"),
            ("formats/src/native/data.rs", "MOST_TOLD"),
            ("dataset/src/scan.rs", "MOST_DOUBTS"),
            ("agentci/src/cli/recording/live_calls.rs", "MOST_NAMED"),
            ("agentci/src/cli/recording/health.rs", "MOST_TOLD"),
            ("agentci/src/cli/recording/drift.rs", "MOST_TOLD"),
            ("agentci/src/cli/replay/outcome.rs", "MOST_EXPLAINED"),
            ("agentci/src/cli/replay/fork/outcome.rs", "MOST_EXPLAINED"),
            ("recorder/src/fork/answer.rs", "MOST_NAMES"),
            ("agentci/src/cli/recorded/file.rs", "LONGEST_WORD"),
            ("agentci/src/cli/rerun_hint.rs", "COMMAND_LIMIT"),
            ("runner/src/recorded_world/judge.rs", "MISSES_TOLD"),
            ("formats/src/ananke/named_blocks.rs", "MOST_COMPARED"),
            ("formats/src/runledger/legacy.rs", "WARNING_LIMIT"),
            ("source/src/source.rs", "PLACE_TEXT_LIMIT"),
            ("runner/src/budget.rs", "MOST_UNPRICED"),
            ("recorder/src/matching/options.rs", "MOST_TOLD"),
            ("recorder/src/matching/matcher.rs", "MOST_COMPARED"),
            ("recorder/src/leaks/watch.rs", "MOST_BYPASSES"),
            ("recorder/src/session/finished.rs", "LONGEST_COMMAND"),
            ("recorder/src/proxy/exchange_log.rs", "MOST_NOTES"),
            ("runner/src/services/tools.rs", "MOST_TOLD"),
            ("verdict/src/pairs.rs", "STEPS_AFTER"),
            ("verdict/src/prompts/values.rs", "DEPTH"),
            ("trajectory/src/changes.rs", "DEPTH"),
            ("trajectory/src/consequences.rs", "REMEMBERED"),
            ("trajectory/src/consequences.rs", "LONGEST_TEXT"),
        ],
    ),
    (
        "a pause, after which something is done again; how long it goes on has a limit of its own",
        &[
            ("process/src/process/attached.rs", "LOOK"),
            ("agentci/src/cli/watch/rounds.rs", "INTERVAL"),
            ("agentci/src/cli/watch/rounds.rs", "SETTLED"),
            ("drivers/src/a2a/driver.rs", "FIRST_WAIT"),
            ("drivers/src/a2a/driver.rs", "LONGEST_WAIT"),
            ("drivers/src/chat/retry.rs", "FIRST_WAIT"),
            ("recorder/src/leaks/process_list.rs", "PAUSE"),
            ("recorder/src/leaks/watch.rs", "LONGEST_PAUSE"),
            ("recorder/src/leaks/watch.rs", "SHORTEST_PAUSE"),
            ("recorder/src/proxy/accepting/listener.rs", "FAREWELL"),
            ("recorder/src/proxy/accepting/listener.rs", "NO_SOCKETS"),
            ("runner/src/retries.rs", "FIRST_WAIT"),
            ("runner/src/retries.rs", "LONGEST_WAIT"),
            ("runner/src/services/ready.rs", "BETWEEN"),
            ("ledger/src/jsonl.rs", "LOCK_TIME"),
            ("wire/src/serve/listen.rs", "NO_SOCKETS"),
            ("process/src/guard/orphans.rs", "PAUSE"),
            ("mcp/src/client.rs", "AGAIN"),
            ("mcp/src/stream.rs", "RETRY"),
            ("mcp/src/stream.rs", "RETRY_LEAST"),
        ],
    ),
    (
        "room of our own: more would be of no use",
        &[
            ("agentci/src/cli/recorded/recorder_address.rs", "LARGEST_BUNDLE"),
            ("agentci/src/cli/calibrate/measure.rs", "BATCH"),
            ("agentci/src/cli/context.rs", "KEPT"),
            ("agentci/src/shards/play.rs", "KEPT"),
            ("ledger/src/jsonl.rs", "HELD_LIMIT"),
            ("script/src/typescript/strip.rs", "STACK"),
            ("script/src/typescript/strip.rs", "STACK_PER_CHARACTER"),
            ("script/src/workers.rs", "STACK"),
            ("wire/src/http/client.rs", "KEPT"),
            ("mcp/src/auth.rs", "EARLY"),
        ],
    ),
    (
        "what something is taken for; nothing is refused by it",
        &[
            ("agentci/src/cli/record/file_name.rs", "LONGEST_NAME"),
            ("agentci/src/cli/record/file_name.rs", "DEPTH"),
            ("agentci/src/cli/record/suite/draft.rs", "MOST_CHECKED"),
            ("verdict/src/baseline/history.rs", "KEPT_RUNS"),
            ("verdict/src/regression/pass_rates.rs", "MOST_RUNS"),
            ("statistics/src/rank_sum.rs", "MOST_PAIRS"),
            ("agentci/src/cli/record/suite/printed.rs", "LEAST_WALL"),
            ("agentci/src/project.rs", "MOST_LINKS"),
            ("agentci/src/resume/definition.rs", "FILE_LIMIT"),
            ("checks/src/pii/email.rs", "LONGEST"),
            ("checks/src/tool_result/paraphrase.rs", "DEPTH"),
            ("drivers/src/chat/anthropic/request.rs", "MOST_TOKENS"),
            ("exchange/src/clean/learn.rs", "LONGEST_WORD"),
            ("embed/src/builtin/layers.rs", "MOST_TOKENS"),
            ("embed/src/facts/name.rs", "LONGEST"),
            ("formats/src/search/bounds.rs", "IGNORE_LIMIT"),
            ("formats/src/search/bounds.rs", "UP_LIMIT"),
            ("formats/src/search/tracked.rs", "INDEX_LIMIT"),
            ("formats/src/search/tracked.rs", "POINTER_LIMIT"),
            ("embed/src/facts/number.rs", "MOST_DIGITS"),
            ("embed/src/facts/number.rs", "MOST_GROUPS"),
            ("embed/src/tokenize/word_piece.rs", "LONGEST_WORD"),
            ("recorder/src/environment/certificates.rs", "LARGEST_FILE"),
            ("recorder/src/environment/certificates.rs", "MOST_FILES"),
            ("recorder/src/environment/certificates.rs", "MOST_KNOWN"),
            ("recorder/src/authority.rs", "MOST_LEAVES"),
            ("recorder/src/proxy/forwarding/upstream.rs", "KEPT"),
            ("recorder/src/leaks/watch.rs", "LARGEST_STAT"),
            ("recorder/src/leaks/processes.rs", "LONGEST_LINE"),
            ("recorder/src/leaks/processes.rs", "LARGEST_LIST"),
            ("recorder/src/leaks/processes.rs", "MOST_FILES"),
            ("recorder/src/leaks/processes.rs", "MOST_PROCESSES"),
            ("recorder/src/leaks/processes.rs", "MOST_THREADS"),
            ("recorder/src/leaks/sockets.rs", "LARGEST_TABLE"),
            ("recorder/src/leaks/sock_diag.rs", "LARGEST_PART"),
            ("recorder/src/leaks/sock_diag.rs", "MOST_PARTS"),
            ("recorder/src/leaks/sock_diag.rs", "PATIENCE"),
            ("recorder/src/leaks/proxied.rs", "LARGEST_ENVIRONMENT"),
            ("recorder/src/leaks/process_list.rs", "LARGEST_LIST"),
            ("recorder/src/leaks/process_list.rs", "LIST_TIMEOUT"),
            ("recorder/src/leaks/server_code.rs", "LARGEST_SCRIPT"),
            ("recorder/src/leaks/servers.rs", "LARGEST_ENVIRONMENT"),
            ("recorder/src/leaks/servers.rs", "LARGEST_PROGRAM"),
            ("recorder/src/leaks/servers.rs", "MOST_ABOVE"),
            ("recorder/src/leaks/servers.rs", "MOST_FILES"),
            ("recorder/src/leaks/servers.rs", "MOST_SEARCHED"),
            ("recorder/src/leaks/servers.rs", "MOST_SPOKEN_TO"),
            ("recorder/src/leaks/stdio.rs", "LARGEST_INFO"),
            ("recorder/src/leaks/stdio.rs", "MOST_WAITING"),
            ("recorder/src/tap/configured_server.rs", "MOST_BEFORE"),
            ("recorder/src/environment/stale.rs", "MOST_ENTRIES"),
            ("recorder/src/zone.rs", "LARGEST_ZONE"),
            ("source/src/yaml/write.rs", "SIMPLE_KEY_LIMIT"),
            ("mock_llm/src/tokens.rs", "LONGEST"),
            ("recorder/src/matching/compare.rs", "MOST_RENAMED"),
            ("recorder/src/proxy/accepting/program.rs", "PATIENCE"),
            ("recorder/src/proxy/accepting/sniff.rs", "LONGEST_METHOD"),
            ("recorder/src/proxy/accepting/sniff.rs", "REST_TIMEOUT"),
            ("recorder/src/proxy/accepting/tunnel.rs", "IDLE_TIMEOUT"),
            ("recorder/src/proxy/accepting/tunnel.rs", "SPEAK_TIMEOUT"),
            ("recorder/src/proxy/accepting/tunnel.rs", "REPLAY_SPEAK_TIMEOUT"),
            ("recorder/src/matching/call_ids.rs", "LONGEST"),
            ("recorder/src/matching/ids/find.rs", "LONGEST_RUN"),
            ("recorder/src/matching/ids/form.rs", "LONGEST_PREFIX"),
            ("recorder/src/matching/ids/form.rs", "LONGEST_TOKEN"),
            ("recorder/src/matching/text.rs", "DEPTH"),
            ("recorder/src/recording/clean/keys.rs", "DEEPEST"),
            ("recorder/src/recording/clean/events.rs", "LONGEST_WORD"),
            ("recorder/src/recording/content.rs", "DEEPEST"),
            ("recorder/src/recording/headers.rs", "LONGEST_WORD"),
            ("verdict/src/baseline/record.rs", "STEPS_RULE"),
        ],
    ),
    (
        "of an example agent, which is no part of a run",
        &[
            ("agentci/src/cli/demo_agent/http.rs", "REQUEST_LIMIT"),
            ("agentci/src/cli/demo_agent/http.rs", "REQUEST_TIMEOUT"),
            ("agentci/src/cli/demo_agent/mod.rs", "INPUT_LIMIT"),
            ("agentci/src/cli/demo_agent/model.rs", "ANSWER_LIMIT"),
            ("agentci/src/cli/demo_agent/model.rs", "PATIENCE"),
            ("agentci/src/cli/demo_agent/model.rs", "ROUNDS"),
        ],
    ),
    (
        "longer than anything is waited for, so that clocks do not run over",
        &[
            ("agentci/src/cli/recorded/agent.rs", "FAR"),
            ("embed/src/remote/service.rs", "FAR"),
            ("mcp/src/connect.rs", "FAR"),
        ],
    ),
];

/// Words in the names of limits.
const WORDS: [&str; 39] = [
    "ARTIFACTS",
    "ATTEMPTS",
    "BATCH",
    "BYTES",
    "DEEPEST",
    "DEFECTS",
    "DELEGATIONS",
    "DEPTH",
    "DISCARDED",
    "EVENTS",
    "FILES",
    "GRACE",
    "HEADERS",
    "ITEMS",
    "KEPT",
    "LARGEST",
    "LIMIT",
    "LIMITS",
    "LONGEST",
    "LOOKS",
    "MEMORY",
    "MISSES",
    "MOST",
    "NOTIFICATIONS",
    "PAGES",
    "PARTS",
    "PATIENCE",
    "QUESTIONS",
    "REAPED",
    "RECORDED",
    "REDIRECTS",
    "REMEMBERED",
    "RETRIES",
    "RETURNED",
    "ROUNDS",
    "RUNS",
    "STACK",
    "STEPS",
    "TIMEOUT",
];

struct Constant {
    file: String,
    name: String,
    kind: String,
    value: String,
}

impl Constant {
    /// Whether it is a limit, judged by its type for durations and by its name for other numbers.
    fn bounds(&self) -> bool {
        let timed = ["Duration", "Grace", "Limits"].iter().any(|kind| self.kind.contains(kind));
        let counted = ["usize", "u64", "u32"].contains(&self.kind.as_str());
        timed || (counted && self.name.split('_').any(|word| WORDS.contains(&word)))
    }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The source files at or below a folder, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The constants of the code, without tests, fuzzing and reports. How much of one thing a report shows is part of its
/// design; the limits of whole reports are on the page.
fn constants() -> Vec<Constant> {
    let definition =
        Regex::new(r"(?m)^\s*(?:pub(?:\(\w+\))? )?const ([A-Z][A-Z0-9_]*): ([^=;]+) =\s+([^;]+);").unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(project().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        if !["fuzz", "report", "weights"].iter().any(|name| path.ends_with(name)) {
            sources(&path.join("src"), &mut files);
        }
    }
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
        let file = path.strip_prefix(project().join("crates")).unwrap().to_str().unwrap();
        found.extend(definition.captures_iter(code).map(|captures| {
            let [name, kind, value] = captures.extract().1.map(str::to_owned);
            Constant { file: file.to_owned(), name, kind, value }
        }));
    }
    found
}

/// The limits on the page: name, value, file and test.
fn listed() -> Vec<[String; 4]> {
    let page = fs::read_to_string(project().join("docs/reference/limits.md")).unwrap();
    let row = Regex::new(r"^\| .* \| `([A-Z_]+) = ([^`]+)` in `([^`]+)` \| `([^`]+)` \|$").unwrap();
    let lines = page.lines().filter(|line| line.contains("` in `"));
    lines.map(|line| row.captures(line).unwrap_or_else(|| panic!("{line}")).extract().1.map(str::to_owned)).collect()
}

/// Every limit on the page is in the code with the same value, and every test that the page names exists.
#[test]
fn limits_page_matches_the_code() {
    let crates = project().join("crates");
    let listed = listed();
    for [name, value, file, test] in &listed {
        let code = fs::read_to_string(crates.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let definition = Regex::new(&format!(r"const {name}: [^=]+ = {};", regex::escape(value))).unwrap();
        assert!(definition.is_match(&code), "{name} is not {value} in {file}");
        let (module, function) = test.split_once("::").unwrap_or_else(|| panic!("{test}"));
        let source = fs::read_to_string(crates.join(module)).unwrap_or_else(|error| panic!("{module}: {error}"));
        let is_test =
            Regex::new(&format!(r"(?s)#\[(tokio::)?test[^\]]*\]\s+(#\[[^\]]*\]\s+)*(async )?fn {function}\(")).unwrap();
        assert!(is_test.is_match(&source), "there is no test {test}");
    }
    assert!(listed.len() > 150, "{} limits", listed.len());
}

/// Every constant with the type or the name of a limit is on the page or in `NO_LIMITS`.
#[test]
fn every_limit_in_the_code_is_documented() {
    let listed: BTreeSet<(String, String)> = listed().into_iter().map(|[name, _, file, _]| (file, name)).collect();
    let none: BTreeSet<(String, String)> = NO_LIMITS
        .iter()
        .flat_map(|(_, constants)| constants.iter())
        .map(|(file, name)| ((*file).to_owned(), (*name).to_owned()))
        .collect();
    let constants = constants();
    let missing: Vec<String> = constants
        .iter()
        .filter(|constant| constant.bounds())
        .filter(|Constant { file, name, .. }| {
            let known = (file.clone(), name.clone());
            !listed.contains(&known) && !none.contains(&known)
        })
        .map(|Constant { file, name, value, .. }| format!("{name} = {value} in {file}"))
        .collect();
    assert_eq!(
        missing, [""; 0],
        "write each into docs/reference/limits.md with a test that meets it, or into NO_LIMITS with the reason"
    );
    let there =
        |file: &str, name: &str| constants.iter().any(|constant| constant.file == file && constant.name == name);
    let stale: Vec<_> = none.iter().filter(|(file, name)| !there(file, name)).collect();
    assert!(stale.is_empty(), "NO_LIMITS names what is not there: {stale:?}");
    let both: Vec<_> = none.intersection(&listed).collect();
    assert!(both.is_empty(), "these are on the page: {both:?}");
}
