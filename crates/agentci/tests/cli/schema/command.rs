//! `agentci schema`.

use std::fs;

use agentci::formats::schemas;
use serde_json::Value;

use crate::suite::Suite;

#[test]
fn prints_schema_by_name() {
    let folder = Suite::empty();
    for file in schemas() {
        let ran = folder.agentci(&["schema", file.name]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", file.name);
        let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(schema["title"], file.title);
    }
}

#[test]
fn lists_all_schemas_with_their_modeline() {
    let ran = Suite::empty().agentci(&["schema"]);
    assert_eq!(ran.code, Some(0));
    for file in schemas() {
        assert!(ran.stdout.lines().any(|line| line.starts_with(&format!("{} ", file.name))), "{}", ran.stdout);
    }
    assert!(ran.stdout.contains("# yaml-language-server: $schema=native.schema.json\n"), "{}", ran.stdout);
}

#[test]
fn writes_all_schemas_to_a_folder_repeatedly() {
    let folder = Suite::empty();
    for _ in 0..2 {
        let ran = folder.agentci(&["schema", "--out", "editor/schemas"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
        for file in schemas() {
            let path = format!("editor/schemas/{}.schema.json", file.name);
            let written = fs::read_to_string(folder.path(&path)).unwrap();
            assert_eq!(written, folder.agentci(&["schema", file.name]).stdout);
            assert!(ran.stderr.contains(&format!("wrote {path}\n")), "{}", ran.stderr);
        }
        let settings = ran.stderr.split_once("files you have:\n").unwrap().1;
        let settings: Value = serde_json::from_str(settings).unwrap();
        assert_eq!(settings["yaml.schemas"]["./editor/schemas/native.schema.json"][0], "agentci.yaml");
        // Schemas of other files are not for the YAML extension.
        assert!(settings["yaml.schemas"].get("./editor/schemas/yao.schema.json").is_none());
    }
}

#[test]
fn writes_a_single_schema() {
    let folder = Suite::empty();
    let ran = folder.agentci(&["schema", "ananke", "-o", "."]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found: Vec<_> = fs::read_dir(folder.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(found, ["ananke.schema.json"]);
}

#[test]
fn unknown_schema_is_refused_with_a_suggestion() {
    let ran = Suite::empty().agentci(&["schema", "runleger"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    ran.complains(&["error: unknown schema `runleger`", "help: did you mean `runledger`? available schemas: native, "]);
}

#[test]
fn reports_folder_that_cannot_be_created() {
    let ran = Suite::empty().file("taken", "").agentci(&["schema", "--out", "taken/schemas"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["help: choose a folder that can be created"]);
}
