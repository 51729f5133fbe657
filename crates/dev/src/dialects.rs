//! Generates `dialects.md`: a comparison of the formats, from loading the smallest suite of each.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use agentci::Suites;
use agentci::cli::documentation;
use agentci::plan::Dialect;
use agentci::report::ReportKind;

use super::{Generated, cell, generated_from, project};

/// A format, and its smallest valid suite.
struct Format {
    dialect: Dialect,
    files: &'static [(&'static str, &'static str)],
}

const FORMATS: &[Format] = &[
    Format {
        dialect: Dialect::Native,
        files: &[("agentci.yaml", "suite: s\ntarget: { process: { command: [sh] } }\ncases: [{ id: a, input: {} }]\n")],
    },
    Format {
        dialect: Dialect::Runledger,
        files: &[
            ("suite.yaml", "suite_name: s\nagent_command: [sh]\nmode: replay\ncases_path: cases\ntool_registry: []\n"),
            ("cases/a.yaml", "id: a\ninput: {}\ncassette: a.jsonl\n"),
            ("a.jsonl", ""),
        ],
    },
    Format {
        dialect: Dialect::Aumai,
        files: &[(
            "a.yaml",
            "name: a\ninput_messages: [{ role: user, content: Hi }]\nexpected_behavior: { contains_text: a }\n",
        )],
    },
    Format {
        dialect: Dialect::Scenario,
        files: &[("tests/shop/a.yaml", "test_name: a\nuser_input: Hi\nexpected_answer: Hello\n")],
    },
    Format {
        dialect: Dialect::Yao,
        files: &[
            ("app.yao", "{}"),
            ("assistants/shop/package.yao", "{\"name\": \"shop\", \"connector\": \"mock\"}"),
            ("assistants/shop/tests/a.jsonl", "{\"id\": \"a\", \"input\": \"Hi\"}\n"),
        ],
    },
    Format {
        dialect: Dialect::Ananke,
        files: &[
            (
                "ananke.config.yaml",
                "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n",
            ),
            ("a.test.yaml", "version: \"1.0\"\nname: a\nturns: [{ user: Hi }]\n"),
        ],
    },
];

/// The formats of flags are determined by trying them on each suite. These flags select what is loaded, or require
/// others.
const NOT_TRIED: [(&str, Dialect); 3] =
    [("input", Dialect::Yao), ("reporter", Dialect::Yao), ("stable_name", Dialect::Scenario)];

pub(crate) fn page() -> Generated {
    for dialect in agentci::formats::dialects() {
        assert!(
            FORMATS.iter().any(|format| format.dialect == dialect),
            "add the smallest suite of {dialect:?} to `FORMATS`"
        );
    }
    let mut page = format!("# Suite formats\n\n{}", generated_from("the smallest suite of each format"));
    page += "`agentci` reads suites in several formats, which may be mixed in one folder. The content of a file \
             determines its format. `agentci list PATH` shows the suites that were found, and `agentci convert PATH` \
             prints a suite in the native format.\n\n";
    let loaded: Vec<Suites> = FORMATS.iter().map(load).collect();
    let rows: Vec<Row> = FORMATS.iter().zip(&loaded).map(|(format, suites)| Row::of(format, suites)).collect();
    let flags = flags_of_some(&loaded);
    page += "| format | recognised by | JSON of `--json` and `-o FILE.json` |\n|---|---|---|\n";
    for row in &rows {
        let _ = writeln!(page, "| [`{0}`]({0}.md) | {1} | {2} |", row.name, cell(&row.recognised), row.json);
    }
    page += "\nDefaults, if neither a flag nor the suite sets them:\n\n";
    page += "| format | mode | timeout of a case | timeout of all cases | parallel cases |\n|---|---|---|---|---|\n";
    for row in &rows {
        let _ = writeln!(page, "| `{}` | {} | {} | {} | {} |", row.name, row.mode, row.case, row.suite, row.parallel);
    }
    page += "\nThe default timeout is 60 s for a question of a scenario and 120 s for a request of the ananke format; \
             the settings and `--timeout` change it. A RunLedger suite with a gate on wall time runs one case at a \
             time.\n\n\
             Flags of one format are an error if no suite has that format:\n\n| format | its flags |\n|---|---|\n";
    for Format { dialect, .. } in FORMATS {
        let own = flags.iter().filter(|(_, theirs)| theirs.contains(dialect)).map(|(flag, _)| flag.as_str());
        let own: Vec<&str> = own.collect();
        let _ = writeln!(
            page,
            "| `{}` | {} |",
            dialect.name(),
            if own.is_empty() { "none".into() } else { own.join(", ") }
        );
    }
    page += "\nAll other flags apply to every format: see [Commands](commands.md#agentci-run).\n";
    Generated::new("dialects.md", page)
}

struct Row {
    name: &'static str,
    recognised: String,
    mode: &'static str,
    case: String,
    suite: String,
    parallel: &'static str,
    json: &'static str,
}

impl Row {
    fn of(format: &Format, suites: &Suites) -> Self {
        let suite = &suites.loaded()[0].suite;
        let time = |limit: Option<Duration>| limit.map_or("–".to_owned(), |limit| format!("{} s", limit.as_secs()));
        Self {
            name: format.dialect.name(),
            recognised: recognised_by(format.dialect),
            mode: suite.mode.name(),
            case: time(suite.cases[0].timeout),
            suite: time(suite.conventions.time_limit.of_suite()),
            parallel: if documentation::parallel(suite, usize::MAX) == 1 { "1" } else { "one per core" },
            json: if ReportKind::json_of(format.dialect.name()).is_some() { "its own" } else { "the summary" },
        }
    }
}

/// Loads the smallest suite of a format.
fn load(format: &Format) -> Suites {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in format.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let suites = Suites::load([folder.path()]);
    assert!(!suites.problems().has_errors(), "{:?}", suites.problems());
    assert_eq!(suites.loaded()[0].suite.dialect, format.dialect);
    suites
}

/// The doc comment of a format in the code.
fn recognised_by(dialect: Dialect) -> String {
    let source = fs::read_to_string(project().join("crates/plan/src/suite.rs")).unwrap();
    let (before, _) = source.split_once(&format!("\n    {dialect:?},\n")).unwrap();
    before.rsplit_once("/// ").unwrap().1.trim_end_matches('.').to_owned()
}

/// The flags of `run` that some of these formats do not use, each with the formats that do.
fn flags_of_some(loaded: &[Suites]) -> Vec<(String, Vec<Dialect>)> {
    let whole = documentation::command();
    let run = whole.find_subcommand("run").unwrap();
    let mut found = Vec::new();
    for argument in run.get_arguments() {
        let (id, Some(long)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        let theirs = if let Some((_, theirs)) = NOT_TRIED.iter().find(|(name, _)| *name == id) {
            vec![*theirs]
        } else {
            let value = match id {
                "agent_url" => Some("http://127.0.0.1:1/"),
                "stub_miss" => Some("warn"),
                _ => Some("1").filter(|_| argument.get_action().takes_values()),
            };
            let flag = format!("--{long}");
            let words: Vec<&str> =
                [Some("agentci"), Some("run"), Some(flag.as_str()), value].into_iter().flatten().collect();
            // A flag that accepts none of these values is for all formats.
            let fits: Option<Vec<bool>> = loaded.iter().map(|suites| documentation::fits(&words, suites)).collect();
            let Some(fits) = fits else { continue };
            let theirs = loaded.iter().zip(fits).filter(|(_, fits)| *fits);
            theirs.map(|(suites, _)| suites.loaded()[0].suite.dialect).collect()
        };
        if theirs.len() < loaded.len() {
            found.push((format!("`--{long}`"), theirs));
        }
    }
    found
}
