//! Keys of other tools, and what they are called here.

use crate::did_you_mean;

/// A key, the words that other tools use for it, and a help text if the key alone would not help.
type KeySynonyms = (&'static str, &'static [&'static str], Option<&'static str>);

/// The first entry whose key is known at that place applies. Words are in lower case and without dashes.
const KEY_SYNONYMS: [KeySynonyms; 29] = [
    (
        "checks",
        &["assert", "asserts", "assertion", "assertions", "expect", "expects", "expectations", "evaluators", "scorers"],
        None,
    ),
    ("cases", &["tests", "test", "testcases", "scenarios", "examples", "evals", "samples", "dataset"], None),
    ("suite", &["name", "title", "suitename"], None),
    ("id", &["name", "title", "case", "test", "caseid", "testid", "key"], None),
    ("description", &["about", "comment", "notes", "summary", "doc", "title", "name"], None),
    ("user", &["prompt", "message", "question", "query", "say", "says", "text", "content", "human", "ask"], None),
    (
        "turns",
        &["prompt", "message", "question", "query", "user", "text", "task", "ask"],
        Some("write it as a turn: `turns: [{ user: .. }]`; or as data: `input: {..}`"),
    ),
    ("turns", &["messages", "conversation", "dialogue", "dialog", "steps", "history"], None),
    ("expected", &["output", "answer", "ideal", "reference", "groundtruth"], None),
    ("tools", &["mock", "mocks", "mocked", "stub", "stubs", "fixtures", "functions"], None),
    (
        "world",
        &["tools", "mock", "mocks", "stub", "stubs", "fixtures", "functions"],
        Some("tools belong in `world`: `world: { tools: {..} }`"),
    ),
    ("world", &["faults"], Some("it belongs in `world`: `world: { faults: [..] }`")),
    ("world", &["cassette"], Some("it belongs in `tools`: `world: { tools: { cassette: .. } }`")),
    ("world", &["model", "llm"], Some("a scripted model belongs in `world`: `world: { model: { script: .. } }`")),
    ("scripted", &["mock", "mocks", "stub", "stubs", "answers", "responses", "fixtures", "static"], None),
    ("allow", &["allowed", "allowlist", "whitelist", "tools", "allowedtools"], None),
    (
        "target",
        &["command", "cmd", "url", "endpoint"],
        Some("it belongs in `target`: `target: { process: { command: [..] } }` or `target: { http: { url: .. } }`"),
    ),
    ("target", &["agent", "provider", "providers", "sut", "bot", "app", "undertest"], None),
    ("command", &["cmd", "exec", "run", "program", "args", "argv", "entrypoint", "script"], None),
    ("url", &["endpoint", "address", "uri", "baseurl", "host", "server"], None),
    ("folder", &["cwd", "dir", "directory", "workdir", "workingdir", "workingdirectory", "chdir"], None),
    ("env", &["environment", "envs", "envvars", "environ"], None),
    ("variables", &["vars", "params", "parameters", "env", "environment"], None),
    ("hooks", &["before", "beforeeach", "setup", "prepare", "fixtures", "beforeall"], None),
    ("wall", &["timeout", "time", "duration", "walltime", "maxwallms", "seconds", "latency"], None),
    ("timeout", &["timeoutms", "timeoutseconds", "timelimit", "maxtime", "deadline", "maxduration"], None),
    ("limits", &["budget", "budgets", "limit", "max"], None),
    ("runs", &["repeat", "repeats", "repetitions", "times", "trials", "iterations", "retries"], None),
    ("tags", &["labels", "groups", "categories"], None),
];

/// The known key that a word refers to, and the help text.
pub fn meant<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<(&'k str, String)> {
    let plain: String = word.chars().filter(|letter| !"-_ ".contains(*letter)).collect::<String>().to_lowercase();
    let named = KEY_SYNONYMS.iter().filter(|(_, words, _)| words.contains(&plain.as_str()));
    let elsewhere = named.into_iter().find_map(|(meant, _, remedy)| {
        let key = known.clone().find(|key| key == meant)?;
        Some((key, remedy.map(str::to_owned)))
    });
    let (key, remedy) = elsewhere.or_else(|| Some((did_you_mean(word, known)?, None)))?;
    Some((key, remedy.unwrap_or_else(|| format!("did you mean `{key}`?"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_take_precedence_over_similar_spelling() {
        let case = ["id", "expected", "checks", "world", "turns", "target"];
        let meant = |word| meant(word, case.into_iter()).map(|(key, _)| key);
        assert_eq!(meant("expect"), Some("checks"));
        assert_eq!(meant("expected2"), Some("expected"));
        assert_eq!(meant("Test-ID"), Some("id"));
        assert_eq!(meant("mocks"), Some("world"));
        assert_eq!(meant("colour"), None);
    }

    #[test]
    fn synonyms_are_lowercase_ascii() {
        for word in KEY_SYNONYMS.iter().flat_map(|(_, words, _)| *words) {
            assert!(word.chars().all(|letter| letter.is_ascii_lowercase()), "{word}");
        }
    }
}
