//! Cases that are made from the rows of data files.

use serde_json::{Value, json};

use crate::ran::Ran;
use crate::suite::Suite;

/// A target that answers with the task it gets.
const ECHO: &str = "suite: suite\ntarget: { process: { command: [sh, echo.sh] } }\n";
const ECHO_PROGRAM: &str = "read -r task\nprintf '{\"type\":\"final_output\",\"output\":%s}\\n' \"$task\"\n";

fn echo(cases: &str) -> Suite {
    Suite::empty().file("suite/echo.sh", ECHO_PROGRAM).file("suite/agentci.yaml", format!("{ECHO}{cases}"))
}

/// The input that the agent got for a case.
fn input(ran: &Ran, id: &str) -> Value {
    ran.final_output(id)["input"].clone()
}

fn ids(suite: &Suite, more: &[&str]) -> Vec<String> {
    let listed = suite.agentci(&[&["list", "suite"], more].concat());
    listed.stdout.lines().map(|line| line.trim_start_matches("suite/").to_owned()).collect()
}

/// Lines with numbers from 1.
fn numbered(count: usize) -> String {
    (1..=count).flat_map(|row| [row.to_string(), "\n".to_owned()]).collect()
}

#[test]
fn every_format_makes_a_case_of_each_row() {
    let cases = "cases:
- from: [data/*.csv, data/b.tsv, data/c.jsonl, data/d.json, data/e.yaml]
  id: \"{id}\"
  input: { text: \"${row.text}\", n: \"${row.n|json}\", whole: \"${row}\", in: \"<${row.n}>\" }
  checks: [{ contains: \"${row.text}\" }]
";
    let suite = echo(cases)
        .file("suite/data/a.csv", "\u{feff}id;text;n\r\na1;\"two;\r\nlines\";1\r\n\r\na2;$${X} ${X};[2]\r\n")
        .file("suite/data/b.tsv", "id\ttext\tn\nb1\ttab\t2.50\n")
        .file("suite/data/c.jsonl", "{\"id\": \"c1\", \"text\": \"line\", \"n\": 3, \"deep\": {\"k\": [true]}}\n")
        .file("suite/data/d.json", "[\n  {\"id\": \"d1\", \"text\": \"list\", \"n\": 4}\n]\n")
        .file("suite/data/e.yaml", "- { id: e1, text: yaml, n: 5 }\n");
    let ran = suite.run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert_eq!(input(&ran, "a1")["text"], "two;\r\nlines");
    // What looks like a variable in the data is not one.
    assert_eq!(
        input(&ran, "a2"),
        json!({
            "text": "$${X} ${X}", "n": [2], "whole": { "id": "a2", "text": "$${X} ${X}", "n": "[2]" }, "in": "<[2]>"
        })
    );
    assert_eq!(input(&ran, "b1")["n"].to_string(), "2.50");
    assert_eq!(input(&ran, "c1")["whole"]["deep"], json!({ "k": [true] }));
    for (id, n) in [("c1", 3), ("d1", 4), ("e1", 5)] {
        assert_eq!((input(&ran, id)["n"].clone(), input(&ran, id)["in"].clone()), (json!(n), json!(format!("<{n}>"))));
    }
    assert_eq!(ran.summary()["aggregates"]["cases_pass"], 6);
}

#[test]
fn a_bad_row_is_the_error_of_its_own_case() {
    let cases = "cases:
- from: a.csv
  id: \"{id}\"
  input: { n: \"${row.n|json}\" }
  checks: [{ contains: \"${row.text}\" }]
";
    let rows =
        "id,text,n\ngood,good,1\n,no id,1\nshort,x\nopen,\"text,1\nwrong,other,1\nlist,list,\"[1,\"\nend,end,2\n";
    let suite = echo(cases).file("suite/a.csv", rows);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1));
    let console = ran.console();
    for expected in [
        "PASS good",
        "ERROR a-2 (",
        "): the row has no value for `id`, which its id needs (config)",
        "ERROR a-3 (",
        "ERROR a-4 (",
        "): a quote is not closed: the next one, at line 7, has text after it (config)",
        "FAIL wrong",
        "ERROR list (",
        "the value of `row.n` is not JSON",
        "PASS end",
        "--> suite/a.csv:4:7",
        "--> suite/a.csv:5:6",
        "--> suite/a.csv:7:1",
        "7 cases: 2 passed, 1 failed, 4 errors",
    ] {
        assert!(console.contains(expected), "{expected}\n{console}");
    }
}

#[test]
fn data_that_makes_no_case_is_an_error() {
    let suite = |keys: &str| {
        echo(&format!("cases:\n- from: a.csv\n  {keys}\n  input: {{}}\n  checks: [{{ contains: \"{{\" }}]\n"))
            .file("suite/a.csv", "id,lang\n1,de\n2,en\n")
            .file("suite/empty.csv", "id,lang\n")
    };
    let refused = |suite: &Suite, expected: &str| {
        let ran = suite.run(&[]);
        assert!(ran.code == Some(1) && ran.shown().contains(expected), "{expected}\n{}", ran.shown());
    };
    assert_eq!(suite("id: \"{id}\"").run(&[]).code, Some(0));
    refused(&suite("where: { lang: fr }"), "none of the 2 rows meets the conditions of `where`");
    refused(&suite("where: { lan: de }"), "no row has a column `lan`");
    refused(&suite("id: \"{ids}\""), "did you mean `id`?");
    refused(&suite("description: \"${row.land}\""), "did you mean `lang`?");
    let glob =
        suite("tags: a").file("suite/agentci.yaml", format!("{ECHO}cases: {{ from: 'no*.csv', input: {{}} }}\n"));
    refused(&glob, "no file matches `no*.csv`");
    let empty =
        suite("tags: a").file("suite/agentci.yaml", format!("{ECHO}cases: {{ from: empty.csv, input: {{}} }}\n"));
    refused(&empty, "the data has no rows");
}

#[test]
fn ids_stay_unique() {
    let suite = |id: &str, other: &str| {
        let cases = format!("cases:\n- {{ from: [a.csv, b.csv], id: \"{id}\", input: {{}} }}\n{other}");
        echo(&cases).file("suite/a.csv", "id,lang\n1,de\n2,de\n").file("suite/b.csv", "id,lang\n1,en\n")
    };
    assert_eq!(ids(&suite("{lang}/{id}", ""), &[]), ["de/1", "de/2", "en/1"]);
    for (id, other, expected) in [
        ("{id}", "", "suite/b.csv:2:1"),
        ("{id}", "", "two rows make a case with the id `1`"),
        ("{lang}{id}", "- { id: de2, input: {} }\n", "the case id `de2` is used twice"),
        ("{lang}{id}", "- { from: c.csv, id: \"en{n}\", input: {} }\n", "the case id `en1` is used twice"),
    ] {
        let ran = suite(id, other).file("suite/c.csv", "n\n1\n").run(&[]);
        assert!(ran.code == Some(1) && ran.shown().contains(expected), "{expected}\n{}", ran.shown());
    }
}

#[test]
fn rows_are_selected_by_their_values() {
    let suite = |filter: &str| {
        echo(&format!("cases: {{ from: a.csv, id: \"{{id}}\", where: {filter}, input: {{}} }}\n"))
            .file("suite/a.csv", "id,lang,score\na,de,1\nb,en,2.0\nc,fr,\nd,de,30\n")
    };
    for (filter, expected) in [
        ("{ lang: de }", vec!["a", "d"]),
        ("{ lang: [de, fr] }", vec!["a", "c", "d"]),
        ("{ lang: { not: de } }", vec!["b", "c"]),
        ("{ lang: { matches: '^.[er]$' } }", vec!["a", "c", "d"]),
        ("{ score: { min: 2 } }", vec!["b", "d"]),
        ("{ score: { min: 1, max: 2 }, lang: de }", vec!["a"]),
        ("{ score: 2 }", vec!["b"]),
        ("{ score: null }", vec!["c"]),
    ] {
        assert_eq!(ids(&suite(filter), &[]), expected, "{filter}");
    }
    let wrong = suite("{ lang: { matches: '(' } }").run(&[]);
    assert!(wrong.code == Some(1) && wrong.shown().contains("this pattern is invalid"), "{}", wrong.shown());
}

#[test]
fn rows_are_selected_like_other_cases() {
    let rows = numbered(40);
    let cases =
        "cases:\n- { from: a.csv, id: \"r{n}\", tags: many, input: { n: \"${row.n}\" } }\n- { id: plain, input: {} }\n";
    let suite = echo(cases).file("suite/a.csv", format!("n\n{rows}"));
    assert_eq!(ids(&suite, &["--run", "^r1.$", "--tag", "many"]).len(), 10);
    let ran = suite.run(&["--case", "r17", "--case", "plain"]);
    assert_eq!((ran.code, ran.summary()["aggregates"]["cases_total"].clone()), (Some(0), json!(2)));
    assert_eq!(input(&ran, "r17")["n"], "17");
    let sample = |more: &str| -> Vec<String> {
        let suite = echo(cases).file("suite/a.csv", format!("n\n{rows}{more}"));
        let listed = ids(&suite, &["--sample", "8", "--seed", "7"]);
        listed.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let first = sample("");
    assert_eq!((first.len(), sample("")), (8, first.clone()));
    assert_ne!(first, ids(&suite, &["--sample", "8", "--seed", "8"]));
    // Most of the sample stays when rows are added.
    let kept = sample("41\n42\n").into_iter().filter(|id| first.contains(id)).count();
    assert!(kept >= 6, "{kept}");
    let drawn = suite.agentci(&["run", "suite", "--sample", "3", "--dry-run"]);
    assert!(drawn.stderr.contains("sampled 3 of 41 cases; `--sample 3 --seed "), "{drawn:?}");
    let unknown = suite.run(&["--case", "r41"]);
    assert!(unknown.stderr.contains("unknown case `r41`"), "{unknown:?}");
}

#[test]
fn shards_of_rows_add_up_to_the_whole() {
    let rows = numbered(7);
    let suite = echo("cases: { from: a.csv, id: \"r{n}\", input: { n: \"${row.n|json}\" }, checks: [{ not: { contains: \"5}\" } }] }\n")
        .file("suite/a.csv", format!("n\n{rows}"));
    for shard in ["1/2", "2/2"] {
        let ran = suite.run(&["--shard", shard, "--output-dir", &format!("shard-{}", &shard[..1])]);
        assert!(ran.code.is_some_and(|code| code < 2), "{ran:?}");
    }
    let run = |shard: u8| {
        let folder = suite.path(&format!("shard-{shard}/suite"));
        let run = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
        run.path().to_str().unwrap().to_owned()
    };
    let merged = suite.agentci(&["merge", &run(1), &run(2)]);
    assert_eq!(merged.code, Some(1), "{merged:?}");
    assert!(merged.console().contains("7 cases: 6 passed, 1 failed"), "{}", merged.console());
}

#[test]
fn each_row_has_its_own_cassette() {
    let cases = "world: { tools: { cassette: \"tapes/{case}.jsonl\", allow: [find] } }
cases: { from: a.csv, id: \"{n}\", input: { n: \"${row.n}\" }, checks: [{ contains: \"found ${row.n}\" }] }
";
    let program = "read -r task\nprintf '{\"type\":\"tool_call\",\"name\":\"find\",\"call_id\":\"c\",\"args\":{}}\\n'\n\
                   read -r answer\nprintf '{\"type\":\"final_output\",\"output\":%s}\\n' \"$answer\"\n";
    let tape = |n: &str| format!("{{\"tool\":\"find\",\"args\":{{}},\"ok\":true,\"result\":\"found {n}\"}}\n");
    let suite = echo(cases)
        .file("suite/echo.sh", program)
        .file("suite/a.csv", "n\n1\n2\n")
        .file("suite/tapes/1.jsonl", tape("1"))
        .file("suite/tapes/2.jsonl", tape("2"));
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let checked = suite.agentci(&["check", "suite"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{checked:?}");
    let checked = suite.file("suite/tapes/3.jsonl", tape("3")).agentci(&["check", "suite"]);
    assert!(checked.stderr.contains("no case uses the cassette `suite/tapes/3.jsonl`"), "{checked:?}");
    let shared = echo(&cases.replace("{case}", "all")).file("suite/a.csv", "n\n1\n2\n");
    let ran = shared.run(&["--mode", "record"]);
    assert!(ran.stderr.contains("2 cases from data would record to the same cassette"), "{ran:?}");
    // The combinations of a matrix have ids of their own, so they share no file.
    let matrix = cases.replace("cases: { from", "matrix: { m: [x, y] }\ncases: { description: \"${matrix.m}\", from");
    let ran = echo(&matrix).file("suite/a.csv", "n\n1\n2\n").run(&["--mode", "record"]);
    assert!(!ran.stderr.contains("would record to the same"), "{ran:?}");
    let slash = echo(cases).file("suite/a.csv", "n\na/b\n").run(&[]);
    assert!(slash.shown().contains("the id `a/b` cannot be part of a file name"), "{}", slash.shown());
}

#[test]
fn converted_data_makes_the_same_cases() {
    let cases = "cases:\n- { from: [\"data/*.csv\"], where: { n: { max: 2 } }, id: \"r{n}\", input: { n: \"${row.n}\" }, \
                 checks: [{ contains: \"${row.n}\" }] }\n- { id: plain, input: {} }\n";
    let suite = echo(cases).file("suite/data/a.csv", "n\n1\n2\n3\n");
    let converted = suite.agentci(&["convert", "suite/agentci.yaml"]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let again = echo("").file("suite/agentci.yaml", &converted.stdout).file("suite/data/a.csv", "n\n1\n2\n3\n");
    assert_eq!(ids(&again, &[]), ids(&suite, &[]));
    assert_eq!(again.run(&[]).code, Some(0));
}

#[test]
fn rows_are_rechecked_with_changed_checks() {
    let cases = |text: &str| {
        format!(
            "cases: {{ from: a.csv, id: \"r{{n}}\", input: {{ n: \"${{row.n}}\" }}, checks: [{{ contains: \"{text}\" }}] }}\n"
        )
    };
    let suite = echo(&cases("${row.n}")).file("suite/a.csv", "n,text\n1,one\n2,two\n");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let run = ran.run_folder();
    let suite = suite.file("suite/agentci.yaml", format!("{ECHO}{}", cases("${row.text}")));
    let rechecked = suite.agentci(&["report", run.to_str().unwrap(), "--recheck", "suite/agentci.yaml"]);
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    let shown = rechecked.shown();
    assert!(shown.contains("the answer does not contain `one`") && shown.contains("r2"), "{shown}");
}

#[test]
fn wrong_data_files_are_reported_where_the_suite_names_them() {
    for (from, file, expected) in [
        ("missing.csv", "", "cannot read `suite/missing.csv`: no such file"),
        ("a.txt", "x", "`suite/a.txt` is not a data file"),
        ("a.json", "{\"a\": 1}", "the file must be an array of objects"),
        ("a.csv", "a,a\n1,2\n", "two columns are named `a`"),
        ("a.yaml", "a: 1\n", "the file must be a list of mappings"),
        ("a.csv", "", "the file is empty"),
    ] {
        let suite = echo(&format!("cases:\n- {{ from: {from}, input: {{}} }}\n- {{ id: good, input: {{}} }}\n"));
        let suite = if from == "missing.csv" { suite } else { suite.file(&format!("suite/{from}"), file) };
        let ran = suite.run(&[]);
        let shown = ran.shown();
        assert!(ran.code == Some(1) && shown.contains(expected) && shown.contains("PASS good"), "{expected}\n{shown}");
    }
}

#[test]
fn each_row_runs_with_every_combination_of_a_matrix() {
    for (id, first) in [("id: \"r{n}\", ", "r1"), ("", "a-1")] {
        let cases = format!(
            "matrix: {{ tone: [kind, curt] }}\ncases: {{ from: a.csv, {id}input: {{ n: \"${{row.n}}\", tone: \"${{matrix.tone}}\" }}, \
             checks: [{{ contains: \"${{matrix.tone}}\" }}] }}\n"
        );
        let suite = echo(&cases).file("suite/a.csv", "n\n1\n2\n");
        let ran = suite.run(&["--tag", "tone=curt"]);
        assert_eq!((ran.code, ran.summary()["aggregates"]["cases_total"].clone()), (Some(0), json!(2)), "{ran:?}");
        assert_eq!(input(&ran, &format!("{first}[tone=curt]")), json!({ "n": "1", "tone": "curt" }));
        let listed = ids(&suite, &["--case", first]);
        let expected = [format!("{first}[tone=kind] [tone=kind]"), format!("{first}[tone=curt] [tone=curt]")];
        assert_eq!(listed, expected);
    }
    let suite = echo("matrix: { tone: [kind, curt] }\ncases: { from: a.csv, id: \"r{n}\", input: { n: \"${row.n} ${matrix.tone}\" } }\n")
        .file("suite/a.csv", "n\n1\n2\n");
    let combination = suite.run(&[]).case("r2[tone=curt]")["combination"].clone();
    assert_eq!(combination["of"], "r2", "{combination}");
}

#[test]
fn killed_runs_of_rows_are_resumed() {
    let cases = "cases: { from: a.csv, id: \"r{n}\", input: { text: \"<${row.text}>\" }, checks: [{ contains: \"${row.text}\" }] }\n";
    let rows = "n,text\n1,one\n2,two\n3,three\n";
    let resumed = |changed: &str| {
        let suite = echo(cases).file("suite/a.csv", rows);
        let run = suite.run(&["--parallel", "1"]).run_folder();
        let log = run.join("run.jsonl");
        let text = std::fs::read_to_string(&log).unwrap();
        let until = text.find("\"case_id\":\"r3\"").unwrap();
        std::fs::write(&log, &text[..=text[..until].rfind('\n').unwrap()]).unwrap();
        let suite = suite.file("suite/a.csv", changed);
        let resume = format!("--resume={}", run.display());
        suite.run(&[&resume, "--output-dir", "again"])
    };
    let same = resumed(rows);
    assert_eq!(same.code, Some(0), "{same:?}");
    let shown = same.shown();
    assert!(shown.contains("3 cases: 3 passed") && shown.contains("2 cases kept, 1 case to run"), "{shown}");
    // A row that changed is another case.
    let changed = resumed("n,text\n1,uno\n2,two\n3,three\n");
    let shown = changed.shown();
    assert!(changed.code == Some(0) && shown.contains("1 case kept, 2 cases to run"), "{shown}");
}

#[test]
fn rows_that_an_open_quote_swallows_are_no_silent_pass() {
    let cases =
        "cases: { from: a.csv, id: \"r{n}\", input: { n: \"${row.n}\" }, checks: [{ contains: \"${row.n}\" }] }\n";
    let suite = echo(cases).file("suite/a.csv", "n,q,a\n1,\"Refund?,yes\n2,Where is it?,no\n3,What is 5\",no\n4,x,y\n");
    let ran = suite.run(&[]);
    let warning = "the quoted value of column 2 has 3 lines that look like rows";
    assert!(ran.stderr.contains(warning) && ran.stderr.contains("suite/a.csv:2:3"), "{ran:?}");
    assert_eq!(suite.agentci(&["check", "--strict", "suite"]).code, Some(1));
}
