//! Schemas and readers agree about any document that is generated from the shapes: both accept it, and both reject it
//! once a key is misspelt, a value has another type, or a required key is missing.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod drawn;
mod readers;
mod spoilt;

use agentci_checks::shapes;
use agentci_formats::{SchemaFile, schemas};
use agentci_source::shape::{CheckShape, Kind};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use serde_json::{Value, json};

use drawn::Draw;

/// Compares the readers and the schema of a file type, over whole files.
fn agree(name: &str) {
    agree_about(name, outside_checks, |draw, file| draw.file(file.root()));
}

/// The arguments of checks are only read if the suite has no other errors; they have a separate test.
fn outside_checks(place: &str) -> bool {
    !place.contains("/checks/") && !place.contains("/task")
}

/// The same, over documents that `make` generates, made invalid at the places that `within` selects.
fn agree_about(name: &str, within: fn(&str) -> bool, make: impl Fn(&mut Draw<'_>, &SchemaFile) -> Value) {
    let checks: Vec<&'static CheckShape> = shapes().collect();
    let file = schemas().iter().find(|file| file.name == name).unwrap();
    let validator = jsonschema::draft7::new(&file.schema(&checks)).unwrap();
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let numbers = proptest::collection::vec(any::<u16>(), 64..256);
    let drawn = TestRunner::new(config).run(&numbers, |numbers| {
        let mut draw = Draw::new(&numbers, &checks);
        let document = make(&mut draw, file);
        let refused: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        prop_assert!(refused.is_empty(), "the schema refuses {document}: {refused:?}");
        let told = readers::complaints(name, &document);
        prop_assert!(told.is_empty(), "the reader refuses {document}: {told:?}");
        for (what, spoilt) in spoilt::ways(&document, within, &mut draw) {
            prop_assert!(!validator.is_valid(&spoilt), "the schema takes it with {what}: {spoilt}");
            prop_assert!(!readers::complaints(name, &spoilt).is_empty(), "the reader takes it with {what}: {spoilt}");
        }
        Ok(())
    });
    drawn.unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn native_suite_schema_matches_the_parser() {
    agree("native");
}

#[test]
fn check_schema_matches_the_parser() {
    agree_about(
        "native",
        |_| true,
        |draw, _| {
            let check = draw.value(&Kind::Check, "/cases/0/checks/0");
            json!({ "suite": "a", "target": { "mock": { "model_name": "m" } }, "cases": [{ "id": "a", "input": {}, "checks": [check] }] })
        },
    );
}

#[test]
fn model_script_schema_matches_the_parser() {
    agree("model-script");
}

#[test]
fn runledger_schemas_match_the_parser() {
    agree_about("runledger", outside_checks, |draw, file| {
        let mut document = draw.file(file.root());
        // Alternative names of two keys, which are only read if the main names are missing.
        if let Some(regression) = document["regression"].as_object_mut() {
            regression.retain(|key, _| !["min_success_rate", "max_p95_wall_ms_increase_pct"].contains(&key.as_str()));
        }
        document
    });
    agree("runledger-case");
}

#[test]
fn aumai_schemas_match_the_parser() {
    agree("aumai");
    agree("aumai-mock");
}

#[test]
fn scenario_schema_matches_the_parser() {
    agree("scenario");
}

#[test]
fn yao_schemas_match_the_parser() {
    agree("yao");
    agree("yao-package");
    agree_about(
        "yao-connector",
        |_| true,
        |draw, file| {
            let mut document = draw.file(file.root());
            // It is only read if there is no host.
            document["options"].as_object_mut().map(|options| options.remove("proxy"));
            document
        },
    );
    agree("yao-prompts");
}

#[test]
fn ananke_schemas_match_the_parser() {
    agree("ananke");
    agree("ananke-config");
}
