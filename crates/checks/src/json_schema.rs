//! # What it checks
//! The agent's final output is valid against a JSON Schema. The schema is a file relative to the suite's folder (a
//! string, or `path`), or is written inline as `schema`. The draft is the one that `$schema` names; default: 2020-12.
//!
//! `format` (`email`, `date`, `uuid` and others) is enforced in every draft. With `format: annotate` it is an
//! annotation, as the standard says since draft 2019-09; with `format: warn` the draft decides, and a format that is
//! not enforced is a warning. Formats that the standard does not define are annotations.
//!
//! A final output that is a string is parsed as JSON first if it contains an object or a list, alone or in a fenced
//! block. With `of: text`, the text of the answer is always parsed as JSON, and text that is not JSON fails; with
//! `of: output`, a string is validated as a string.
//!
//! The output of a case is that of its last turn. Without any output the check fails, also under `not`.
//!
//! A schema that may take long, such as one that refers to itself, is evaluated in a separate process. It may
//! use 256 MB of memory, and 10 seconds or the time limit of the case if that is shorter (at least one second); beyond
//! them the case is an error with the cause `check_timeout`, also under `not`.
//!
//! # Why
//! The shape of a result is a contract with the program that reads it next. All errors are listed, not only the first.
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
use std::sync::{Arc, OnceLock};

use agentci_source::shape::{CheckShape, KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Files, Node, Span, join, read};
use agentci_text::json_error;
use agentci_trace::{Trace, canonical, sha256};
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

/// The largest schema file, in bytes.
pub(crate) const SCHEMA_LIMIT: u64 = 10 << 20;
/// The longest value that is kept as a detail, in characters.
const DETAIL: usize = 2_000;
/// The most errors that are listed.
const LISTED: usize = 50;
/// The supported values of `$schema`.
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

/// The value that is validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaSubject {
    /// The final output; a string that contains an object or a list, alone or in a fenced block, is parsed.
    Either,
    /// The final output as it is.
    Output,
    /// The text of the answer, parsed as JSON.
    Text,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "json_schema",
    about: "The agent's final output is valid against a JSON Schema.",
    arguments: Kind::Either(&[Kind::Text, Kind::Shape(&ARGUMENTS)]),
};

const WAYS: [(&str, SchemaSubject); 2] = [("output", SchemaSubject::Output), ("text", SchemaSubject::Text)];

static ARGUMENTS: Shape = Shape::new(
    "`json_schema`",
    "A schema, and the value that is validated against it.",
    &[
        optional("schema", Kind::Data, "The schema, inline."),
        optional("path", Kind::Text, "The schema file, relative to the suite's folder."),
        optional(
            "of",
            Kind::Choice(&words(&WAYS)),
            "What to validate: the final output as it is (`output`), or the text of the answer parsed as JSON \
             (`text`). Default: the final output; a string that contains an object or a list is parsed first.",
        ),
        optional(
            "format",
            Kind::Choice(&Formats::WORDS),
            "How to treat `format` in the schema: enforce it, take it as an annotation, or follow the draft and warn \
             where it is not enforced. Default: enforce.",
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
                let schema = build(source, "this schema", inline.span, formats);
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
    // A problem with a shared schema is reported at each place that names it.
    let wrong = |problem| compiler.problems.push(Diagnostic { span: path.span, ..problem });
    let schema = known.map_err(wrong).ok()?;
    Some(Arc::new(JsonSchema { schema, of, span: path.span }))
}

fn load(files: &dyn Files, file: &Path, span: Span, formats: Formats) -> Result<Schema, Diagnostic> {
    let shown = file.display();
    let text = files.read_text(file, SCHEMA_LIMIT).map_err(|error| {
        Diagnostic::error(span, format!("the schema `{shown}` cannot be read: {error}"))
            .label("this file")
            .help("schema paths are relative to the suite's folder")
    })?;
    let source = serde_json::from_str(&text).map_err(|error| {
        Diagnostic::error(span, format!("the schema `{shown}` is not JSON: {error}")).label("this file")
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
        (Ok(validator), _) => {
            let digest = OnceLock::new();
            return Ok(Schema { validator, source: Arc::new(source), formats, cost, digest });
        }
        (Err(_), Some(draft)) => {
            Diagnostic::error(span, format!("{name} uses an unsupported JSON Schema draft: `{draft}`"))
                .label("unsupported `$schema`")
                .help(format!("remove `$schema`, or set it to one of {}", DRAFTS.join(", ")))
        }
        (Err(error), None) => wrong_schema(&error, name, span),
    };
    Err(wrong)
}

/// Compiles a schema. Its patterns take linear time, as all others.
pub(crate) fn validator(source: &Value, formats: Formats) -> Result<Validator, ValidationError<'static>> {
    let mut options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    if let Some(enforced) = formats.enforced() {
        options = options.should_validate_formats(enforced);
    }
    options.build(source).map_err(ValidationError::to_owned)
}

/// The `$schema` of a schema, if it is not supported.
fn unknown_draft(schema: &Value) -> Option<&str> {
    let named = schema.get("$schema")?.as_str()?;
    let plain = |address: &str| address.trim_end_matches('#').replacen("https:", "http:", 1);
    DRAFTS.iter().all(|known| plain(known) != plain(named)).then_some(named)
}

fn wrong_schema(error: &ValidationError<'_>, name: &str, span: Span) -> Diagnostic {
    let place = error.instance_path().to_string();
    let at = if place.is_empty() { "at the root".to_owned() } else { format!("at {place}") };
    let reason = error.to_string();
    let outside = ["resolve-http", "resolve-file", "base URI", "Unresolvable", "registry", "retrieve"];
    if outside.iter().any(|word| reason.contains(word)) {
        return Diagnostic::error(span, format!("{name} refers to another document"))
            .label("not fetched")
            .help("move the definitions it refers to into `$defs` of the schema itself");
    }
    Diagnostic::error(span, format!("{name} is not a valid JSON Schema: {at}: {reason}")).label("invalid schema")
}

impl Evaluate for JsonSchema {
    fn reads(&self) -> Option<&str> {
        let Schema { source, digest, .. } = &*self.schema;
        Some(digest.get_or_init(|| sha256(canonical(source).as_bytes())))
    }

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

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        match (Misfits::deserialize(&answer["misfits"]), negate) {
            (Ok(misfits), false) => self.judge(misfits),
            (Ok(misfits), true) => opposite(self.judge(misfits), || self.forbidden(trace)),
            (Err(error), _) => self.unusable(&error.to_string()),
        }
    }

    fn forbidden(&self, _trace: &Trace) -> Failure {
        Failure::new("the final output matches the schema, which `not` forbids").at(self.span, "matches this schema")
    }

    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        KeptAnswer { evidence: json!({ "misfits": answer["misfits"]["count"] }), ..KeptAnswer::default() }
    }
}

/// The errors of a value under a schema.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Misfits {
    count: usize,
    /// The first errors by path, each with its message.
    listed: Vec<(String, Detail)>,
}

/// Validates a value against a schema.
pub(crate) fn misfits(validator: &Validator, source: &Value, output: &Value) -> Misfits {
    let mut errors: Vec<ValidationError<'_>> = validator.iter_errors(output).collect();
    errors.sort_by_cached_key(|error| error.instance_path().to_string());
    let listed = errors.iter().take(LISTED).map(|error| (sentence(error), detail(source, error))).collect();
    Misfits { count: errors.len(), listed }
}

impl JsonSchema {
    /// The value to validate, or the outcome if there is none.
    fn looked_at<'t>(&self, trace: &'t Trace) -> Result<Cow<'t, Value>, Box<Outcome>> {
        if self.of == SchemaSubject::Text {
            let said = trace.output().text();
            return serde_json::from_str(said.trim()).map(Cow::Owned).map_err(|error| {
                let message = format!("the answer is not JSON: {}", json_error(&error));
                Box::new(Outcome::Failed(Failure::new(message).at(self.span, "expects JSON").note(quote(&said))))
            });
        }
        let output = trace.output().value().ok_or_else(|| Box::new(no_output()))?;
        let read = structured(&output).filter(|_| self.of == SchemaSubject::Either).map(|(read, _)| read.into_owned());
        Ok(read.map_or(output, Cow::Owned))
    }

    fn judge(&self, misfits: Misfits) -> Outcome {
        let Misfits { count, listed } = misfits;
        let Some((first, _)) = listed.first() else { return Outcome::Passed };
        let message = if count == 1 { first.clone() } else { format!("{first} (and {} more)", count - 1) };
        let mut failure = Failure::new(format!("the final output does not match the schema: {message}"));
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
        Outcome::Error(failure.at(self.span, "invalid schema"))
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

/// The invalid value. Of an object that lacks keys, only the keys are kept: its values are irrelevant.
fn kept(keyword: &str, actual: &Value) -> Value {
    match actual {
        Value::Object(map) if keyword == "required" => map.keys().take(LISTED).cloned().collect(),
        other => short(other.clone()),
    }
}

/// The value, or the beginning of its JSON if it is large.
fn short(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= DETAIL { value } else { agentci_text::excerpt(&text, DETAIL).into() }
}

fn sentence(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let at = if path.is_empty() { "at the root".to_owned() } else { format!("at {path}") };
    format!("{at}: {}", error.masked_with(cut(error.instance().as_ref())))
}
