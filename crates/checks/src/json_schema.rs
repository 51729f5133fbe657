//! # What it checks
//! The agent's final output is valid under a JSON Schema, given by its file relative to the suite (or as `path`), or written
//! in place as `schema`. The draft is the one that `$schema` names, default: 2020-12.
//!
//! `format` (`email`, `date`, `uuid` and others) is enforced in every draft. With `format: annotate` it is a note, which is what the
//! standard says since draft 2019-09; with `format: warn` the draft decides, and a format that is not enforced is a warning.
//! Formats that the standard does not know are notes.
//!
//! A final output that is a text is read as JSON first, if it is an object or a list written as text, alone or between fences.
//! With `of: text` it is always read so, and what is no JSON does not fit; with `of: output` it is taken as the text it is.
//!
//! The output of a case is that of its last turn. Without any output the check fails, negated or not.
//!
//! A schema that may take long, such as one that refers to itself, is evaluated by a process of its own. It has 10 seconds, or as
//! long as the case may take if that is less (at least one second), and 256 MB of memory; beyond that the case is an error with
//! the cause `check_timeout`, also under `not`.
//!
//! # Why
//! The shape of a result is a contract with whatever reads it next. All errors are listed, not only the first.
//!
//! # Example
//! ```yaml
//! checks:
//!   - json_schema: schema.json
//!   - json_schema: { schema: { type: object, required: [answer] } }
//!   - json_schema: { schema: { type: integer }, of: text }
//!   - json_schema: { path: schema.json, format: annotate }
//! ```

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::shape::{CheckShape, KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Files, Node, Span, join, read};
use agentci_trace::Trace;
use agentci_verdict::{Detail, Failure, Outcome};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bounded::{BoundedTask, SchemaCost, Weight};
use crate::call_words::cut;
use crate::compiler::{Compiler, Schema, choice, data};
use crate::evaluate::{Evaluate, no_output, opposite};
use crate::output::structured;
use crate::output_words::quote;
use crate::schema_format::Formats;
use crate::{EvidenceQuestion, KeptAnswer};

/// The largest schema that is read.
pub(crate) const SCHEMA_LIMIT: u64 = 10 << 20;
/// How much of a value is kept as a detail.
const DETAIL: usize = 2_000;
/// How many errors are listed.
const LISTED: usize = 50;
/// What a schema may say it is written for.
const DRAFTS: [&str; 5] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

#[derive(Debug)]
struct JsonSchema {
    schema: Arc<Schema>,
    of: SchemaSubject,
    span: Span,
}

/// What is held against the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaSubject {
    /// The final output; a text that holds an object or a list, alone or between fences, is read.
    Either,
    /// The final output as it is.
    Output,
    /// What the agent said, read as JSON.
    Text,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "json_schema",
    about: "The agent's final output is valid under a JSON Schema.",
    arguments: Kind::Either(&[Kind::Text, Kind::Shape(&ARGUMENTS)]),
};

const WAYS: [(&str, SchemaSubject); 2] = [("output", SchemaSubject::Output), ("text", SchemaSubject::Text)];

static ARGUMENTS: Shape = Shape::new(
    "`json_schema`",
    "A schema, and what is held against it.",
    &[
        optional("schema", Kind::Data, "The schema itself."),
        optional("path", Kind::Text, "The file of the schema, from the folder of the suite."),
        optional(
            "of",
            Kind::Choice(&words(&WAYS)),
            "Whether the output is taken as it is, or always read as JSON from its text.",
        ),
        optional(
            "format",
            Kind::Choice(&Formats::WORDS),
            "Whether `format` in the schema is enforced, a note, or a note with a warning where its draft says so. Default: \
             enforce.",
        ),
    ],
)
.rules(&[KeyRule::One(&["schema", "path"])]);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (mut path, mut of, mut formats) = (arguments, SchemaSubject::Either, Formats::default());
    if arguments.pairs().is_some() {
        let span = arguments.span;
        let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
        let inline = arguments.node("schema");
        let file = arguments.node("path");
        of = arguments.optional("of", choice(&WAYS)).unwrap_or(of);
        formats = arguments.optional("format", choice(&Formats::NAMES)).unwrap_or_default();
        arguments.finish();
        path = match (inline, file) {
            (Some(inline), None) => {
                let source = data(inline, "schema", &mut compiler.problems)?;
                let schema = build(source, "this", inline.span, formats);
                let schema = schema.map_err(|problem| compiler.problems.push(problem)).ok()?;
                formats.warning(&schema.source, inline.span).into_iter().for_each(|told| compiler.problems.push(told));
                return Some(Arc::new(JsonSchema { schema: Arc::new(schema), of, span: inline.span }));
            }
            (None, Some(file)) => file,
            _ => {
                let problem = Diagnostic::error(span, "`json_schema` needs either `path` or `schema`");
                compiler.problems.push(problem.help("name a file: `json_schema: schema.json`"));
                return None;
            }
        };
    }
    let written = read::text(path, "json_schema", &mut compiler.problems)?;
    let file = join(compiler.folder, &written);
    let files = compiler.files;
    let known = compiler.schemas.entry((file, formats));
    let problems = &mut compiler.problems;
    let load = |(file, formats): &(PathBuf, Formats)| {
        let schema = load(files, file, path.span, *formats)?;
        formats.warning(&schema.source, path.span).into_iter().for_each(|told| problems.push(told));
        Ok(Arc::new(schema))
    };
    let known = known.or_insert_with_key(load).clone();
    // What is wrong with a schema that is shared is told at each place that names it.
    let wrong = |problem| compiler.problems.push(Diagnostic { span: path.span, ..problem });
    let schema = known.map_err(wrong).ok()?;
    Some(Arc::new(JsonSchema { schema, of, span: path.span }))
}

fn load(files: &dyn Files, file: &Path, span: Span, formats: Formats) -> Result<Schema, Diagnostic> {
    let shown = file.display();
    let text = files.read_text(file, SCHEMA_LIMIT).map_err(|error| {
        Diagnostic::error(span, format!("the schema `{shown}` can not be read: {error}"))
            .label("names this file")
            .help("schema paths are relative to the suite's folder")
    })?;
    let source = serde_json::from_str(&text).map_err(|error| {
        Diagnostic::error(span, format!("the schema `{shown}` is not JSON: {error}")).label("names this file")
    })?;
    build(source, &format!("`{shown}`"), span, formats)
}

fn build(source: Value, name: &str, span: Span, formats: Formats) -> Result<Schema, Diagnostic> {
    let cost = SchemaCost::of(&source);
    let draft = unknown_draft(&source);
    let made = if cost.dear_to_build && draft.is_none() {
        jsonschema::meta::validate(&source).map(|()| None)
    } else {
        validator(&source, formats).map(Some)
    };
    let wrong = match (made, draft) {
        (Ok(validator), _) => return Ok(Schema { validator, source: Arc::new(source), formats, cost }),
        (Err(_), Some(draft)) => {
            Diagnostic::error(span, format!("{name} is written for a JSON Schema that is not known: `{draft}`"))
                .label("its `$schema` is not known")
                .help(format!("leave `$schema` out, or name one of {}", DRAFTS.join(", ")))
        }
        (Err(error), None) => wrong_schema(&error, name, span),
    };
    Err(wrong)
}

/// Compiles a schema. Patterns take linear time, as everywhere.
pub(crate) fn validator(source: &Value, formats: Formats) -> Result<Validator, ValidationError<'static>> {
    let mut options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    if let Some(enforced) = formats.enforced() {
        options = options.should_validate_formats(enforced);
    }
    options.build(source).map_err(ValidationError::to_owned)
}

/// What a schema says it is written for, if that is none of the known ones.
fn unknown_draft(schema: &Value) -> Option<&str> {
    let named = schema.get("$schema")?.as_str()?;
    let plain = |address: &str| address.trim_end_matches('#').replacen("https:", "http:", 1);
    DRAFTS.iter().all(|known| plain(known) != plain(named)).then_some(named)
}

fn wrong_schema(error: &ValidationError<'_>, name: &str, span: Span) -> Diagnostic {
    let place = error.instance_path().to_string();
    let at = if place.is_empty() { "at its top".to_owned() } else { format!("at {place}") };
    let reason = error.to_string();
    let outside = ["resolve-http", "resolve-file", "base URI", "Unresolvable", "registry", "retrieve"];
    if outside.iter().any(|word| reason.contains(word)) {
        return Diagnostic::error(span, format!("{name} is a JSON Schema that refers to another document"))
            .label("nothing is fetched")
            .help("put what it refers to under `$defs` of the schema itself");
    }
    Diagnostic::error(span, format!("{name} is not a valid JSON Schema: {at}: {reason}")).label("the schema is wrong")
}

impl Evaluate for JsonSchema {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let output = match self.looked_at(trace) {
            Ok(output) => output,
            Err(outcome) => return *outcome,
        };
        let source = &self.schema.source;
        match &self.schema.validator {
            Some(validator) => self.judge(misfits(validator, source, &output)),
            None => match validator(source, self.schema.formats) {
                Ok(validator) => self.judge(misfits(&validator, source, &output)),
                Err(error) => self.unusable(&error.to_string()),
            },
        }
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let cost = &self.schema.cost;
        let output = self.looked_at(trace).ok()?;
        if cost.is_cheap(Weight::of(&output).parts) {
            return None;
        }
        let schema = Arc::clone(&self.schema.source);
        Some(EvidenceQuestion::Bounded(BoundedTask::schema(schema, self.schema.formats, output.into_owned())))
    }

    fn conclude(&self, _trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        match (Misfits::deserialize(&answer["misfits"]), negate) {
            (Ok(misfits), false) => self.judge(misfits),
            (Ok(misfits), true) => opposite(self.judge(misfits)),
            (Err(error), _) => self.unusable(&error.to_string()),
        }
    }

    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        KeptAnswer { evidence: json!({ "misfits": answer["misfits"]["count"] }), ..KeptAnswer::default() }
    }
}

/// What of a value breaks a schema.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Misfits {
    count: usize,
    /// The first of them by place, each with its sentence.
    listed: Vec<(String, Detail)>,
}

/// Holds a value against a schema.
pub(crate) fn misfits(validator: &Validator, source: &Value, output: &Value) -> Misfits {
    let mut errors: Vec<ValidationError<'_>> = validator.iter_errors(output).collect();
    errors.sort_by_cached_key(|error| error.instance_path().to_string());
    let listed = errors.iter().take(LISTED).map(|error| (sentence(error), detail(source, error))).collect();
    Misfits { count: errors.len(), listed }
}

impl JsonSchema {
    /// The value that is held against the schema.
    fn looked_at<'t>(&self, trace: &'t Trace) -> Result<Cow<'t, Value>, Box<Outcome>> {
        if self.of == SchemaSubject::Text {
            let said = trace.output().text();
            return serde_json::from_str(said.trim()).map(Cow::Owned).map_err(|error| {
                let message = format!("the agent's answer is not JSON: {error}");
                Box::new(Outcome::Failed(Failure::new(message).at(self.span, "asks for JSON").note(quote(&said))))
            });
        }
        let output = trace.output().value().ok_or_else(|| Box::new(no_output()))?;
        let read = structured(&output).filter(|_| self.of == SchemaSubject::Either).map(|(read, _)| read.into_owned());
        Ok(read.map_or(output, Cow::Owned))
    }

    fn judge(&self, misfits: Misfits) -> Outcome {
        let Misfits { count, listed } = misfits;
        let Some((first, _)) = listed.first() else { return Outcome::Held };
        let message = if count == 1 { first.clone() } else { format!("{first} (and {} more)", count - 1) };
        let mut failure = Failure::new(format!("the final output does not fit the schema: {message}"));
        failure = failure.at(self.span, first.clone());
        for (sentence, detail) in listed {
            if count > 1 {
                failure.notes.push(sentence);
            }
            failure.details.push(detail);
        }
        if count > LISTED {
            failure.notes.push(format!("and {} more", count - LISTED));
        }
        Outcome::Failed(failure)
    }

    fn unusable(&self, reason: &str) -> Outcome {
        let failure = Failure::new(format!("the schema cannot be used: {reason}"));
        Outcome::Error(failure.at(self.span, "the schema is wrong"))
    }
}

fn detail(source: &Value, error: &ValidationError<'_>) -> Detail {
    let expected = source.pointer(error.schema_path().as_str()).cloned().unwrap_or_default();
    let keyword = error.schema_path().as_str().rsplit('/').next().expect("a split has a first part").to_owned();
    Detail {
        path: error.instance_path().to_string(),
        expected: json!({ &keyword: short(expected) }),
        actual: kept(&keyword, error.instance().as_ref()),
    }
}

/// The value that does not fit. Of an object that lacks keys only its keys are kept: the rest has nothing to do with it.
fn kept(keyword: &str, actual: &Value) -> Value {
    match actual {
        Value::Object(map) if keyword == "required" => map.keys().take(LISTED).cloned().collect(),
        other => short(other.clone()),
    }
}

/// The value itself unless it is large, else the beginning of its text.
fn short(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= DETAIL { value } else { agentci_text::excerpt(&text, DETAIL).into() }
}

fn sentence(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let at = if path.is_empty() { "at the top".to_owned() } else { format!("at {path}") };
    format!("{at}: {}", error.masked_with(cut(error.instance().as_ref())))
}
