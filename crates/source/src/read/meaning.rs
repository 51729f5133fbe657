//! Keys that are called something else elsewhere.

use crate::did_you_mean;

/// A key, what others call it, and what to say where the key alone would not help.
struct Meaning {
    key: &'static str,
    words: &'static [&'static str],
    remedy: Option<&'static str>,
}

const fn called(key: &'static str, words: &'static [&'static str]) -> Meaning {
    Meaning { key, words, remedy: None }
}

const fn told(key: &'static str, words: &'static [&'static str], remedy: &'static str) -> Meaning {
    Meaning { key, words, remedy: Some(remedy) }
}

/// The first whose key is known where the word stands is the one that is meant. Words are in lower case and without dashes.
const MEANINGS: [Meaning; 29] = [
    called(
        "checks",
        &["assert", "asserts", "assertion", "assertions", "expect", "expects", "expectations", "evaluators", "scorers"],
    ),
    called("cases", &["tests", "test", "testcases", "scenarios", "examples", "evals", "samples", "dataset"]),
    called("suite", &["name", "title", "suitename"]),
    called("id", &["name", "title", "case", "test", "caseid", "testid", "key"]),
    called("description", &["about", "comment", "notes", "summary", "doc", "title", "name"]),
    called("user", &["prompt", "message", "question", "query", "say", "says", "text", "content", "human", "ask"]),
    told(
        "turns",
        &["prompt", "message", "question", "query", "user", "text", "task", "ask"],
        "say it in a turn: `turns: [{ user: .. }]`; or as data: `input: {..}`",
    ),
    called("turns", &["messages", "conversation", "dialogue", "dialog", "steps", "history"]),
    called("expected", &["output", "answer", "ideal", "reference", "groundtruth"]),
    called("tools", &["mock", "mocks", "mocked", "stub", "stubs", "fixtures", "functions"]),
    told(
        "world",
        &["tools", "mock", "mocks", "stub", "stubs", "fixtures", "functions"],
        "tools are told of in the world: `world: { tools: {..} }`",
    ),
    told("world", &["faults"], "it belongs into the world: `world: { faults: [..] }`"),
    told("world", &["cassette"], "it belongs to the tools: `world: { tools: { cassette: .. } }`"),
    told("world", &["model", "llm"], "a scripted model is part of the world: `world: { model: { script: .. } }`"),
    called("scripted", &["mock", "mocks", "stub", "stubs", "answers", "responses", "fixtures", "static"]),
    called("allow", &["allowed", "allowlist", "whitelist", "tools", "allowedtools"]),
    told(
        "target",
        &["command", "cmd", "url", "endpoint"],
        "it belongs to the target: `target: { process: { command: [..] } }` or `target: { http: { url: .. } }`",
    ),
    called("target", &["agent", "provider", "providers", "sut", "bot", "app", "undertest"]),
    called("command", &["cmd", "exec", "run", "program", "args", "argv", "entrypoint", "script"]),
    called("url", &["endpoint", "address", "uri", "baseurl", "host", "server"]),
    called("folder", &["cwd", "dir", "directory", "workdir", "workingdir", "workingdirectory", "chdir"]),
    called("env", &["environment", "envs", "envvars", "environ"]),
    called("variables", &["vars", "params", "parameters", "env", "environment"]),
    called("hooks", &["before", "beforeeach", "setup", "prepare", "fixtures", "beforeall"]),
    called("wall", &["timeout", "time", "duration", "walltime", "maxwallms", "seconds", "latency"]),
    called("timeout", &["timeoutms", "timeoutseconds", "timelimit", "maxtime", "deadline", "maxduration"]),
    called("limits", &["budget", "budgets", "limit", "max"]),
    called("runs", &["repeat", "repeats", "repetitions", "times", "trials", "iterations", "retries"]),
    called("tags", &["labels", "groups", "categories"]),
];

/// The known key that a word stands for, and what to say about it.
pub fn meant<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<(&'k str, String)> {
    let plain: String = word.chars().filter(|letter| !"-_ ".contains(*letter)).collect::<String>().to_lowercase();
    let elsewhere = MEANINGS.iter().filter(|meaning| meaning.words.contains(&plain.as_str())).find_map(|meaning| {
        let key = known.clone().find(|key| *key == meaning.key)?;
        Some((key, meaning.remedy.map(str::to_owned)))
    });
    let (key, remedy) = elsewhere.or_else(|| Some((did_you_mean(word, known)?, None)))?;
    Some((key, remedy.unwrap_or_else(|| format!("did you mean `{key}`?"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_comes_before_what_is_spelt_alike() {
        let case = ["id", "expected", "checks", "world", "turns", "target"];
        let meant = |word| meant(word, case.into_iter()).map(|(key, _)| key);
        assert_eq!(meant("expect"), Some("checks"));
        assert_eq!(meant("expected2"), Some("expected"));
        assert_eq!(meant("Test-ID"), Some("id"));
        assert_eq!(meant("mocks"), Some("world"));
        assert_eq!(meant("colour"), None);
    }

    #[test]
    fn every_word_is_written_as_it_is_looked_for() {
        for word in MEANINGS.iter().flat_map(|meaning| meaning.words) {
            assert!(word.chars().all(|letter| letter.is_ascii_lowercase()), "{word}");
        }
    }
}
