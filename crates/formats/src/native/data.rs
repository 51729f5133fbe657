//! Reads `from`, `where` and `id` of cases that are made from data, and scans the files.

use agentci_dataset::{Condition, DataError, Dataset, DatasetFile, IdTemplate, RowFilter, RowIndex, Scan, scan};
use agentci_plan::{CaseData, Text, is_row, row_problem};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostic, Diagnostics, Node, Reader, Reading, Severity, Span, Spanned, did_you_mean, read};
use regex::Regex;
use serde_json::Value;

use super::data_files::{FoundFile, find};
use crate::document::Loading;

/// The largest number of bad rows that are reported one by one when a suite is read.
const MOST_TOLD: usize = 10;

/// A condition on a column: a value, a list of values, or a mapping.
pub(super) static CONDITION: Kind =
    Kind::Either(&[Kind::Word, Kind::Nothing, Kind::List(&Kind::Word), Kind::Shape(&CONDITION_KEYS)]);

static CONDITION_KEYS: Shape = Shape::new(
    "the condition",
    "A condition on a column.",
    &[
        optional("matches", Kind::Name, "Regular expression that the value must match."),
        optional("min", Kind::Number, "Minimum, for numbers."),
        optional("max", Kind::Number, "Maximum, for numbers."),
        optional("not", Kind::OneOrMore(&Kind::Word), "Values to leave out."),
    ],
);

/// What a case from data says about its data.
pub(super) struct WrittenData {
    files: Vec<Spanned<String>>,
    filter: RowFilter,
    /// The columns in the conditions.
    filtered: Vec<Spanned<String>>,
    id: Option<Spanned<String>>,
    from: Node,
    conditions: Option<Node>,
}

/// Reads `from`, `where` and `id`.
pub(super) fn written_data(fields: &mut Reader<'_, '_>) -> Option<WrittenData> {
    let from = fields.node("from").cloned();
    let files = fields.required("from", read::one_or_more_texts);
    let conditions = fields.node("where").cloned();
    let (mut filter, mut filtered) = (RowFilter::default(), Vec::new());
    for pair in conditions.iter().flat_map(|node| node.pairs().unwrap_or_default()) {
        filtered.push(Spanned::new(pair.key.text.to_string(), pair.key.span));
        if let Some(condition) = condition(&pair.value, &pair.key.text, fields.problems) {
            filter.conditions.push((pair.key.text.to_string(), condition));
        }
    }
    if let Some(node) = conditions.as_ref().filter(|_| filtered.is_empty()) {
        // An invalid condition was already reported.
        let help = "write conditions by column: `where: { lang: de }`";
        if node.pairs().is_some() {
            fields.problems.error(node.span, "`where` is empty", "a condition is missing here").help(help);
        } else {
            fields.problems.mismatch(node, "`where` must be a mapping", "expected a mapping").help(help);
        }
    }
    let id = fields.optional("id", read::name);
    Some(WrittenData { files: files?, filter, filtered, id, from: from?, conditions })
}

fn condition(node: &Node, column: &str, problems: &mut Diagnostics) -> Option<Condition> {
    let values = |node: &Node, problems: &mut Diagnostics| {
        let items = node.items().unwrap_or(std::slice::from_ref(node));
        let value = |item: &Node| {
            if item.scalar().is_none() {
                let rule =
                    format!("a value of the condition on `{column}` must be a string, a number, a boolean or null");
                problems.mismatch(item, rule, "expected a single value");
                return None;
            }
            read::data(item, column, Reading::Core, problems)
        };
        items.iter().map(value).collect::<Option<Vec<Value>>>()
    };
    if node.pairs().is_none() {
        return Some(Condition::OneOf(values(node, problems)?));
    }
    let before = problems.count(Severity::Error);
    CONDITION_KEYS.read(node, problems, |fields| {
        let matches = fields.optional("matches", |node, name, problems| {
            let written = read::name(node, name, problems)?;
            let pattern = Regex::new(&written.value);
            pattern.map_err(|error| bad_pattern(&written, &error, problems)).ok()
        });
        let (min, max) = (fields.optional("min", read::number), fields.optional("max", read::number));
        // `not: null` is a condition, not an absent key.
        let not = fields.node("not").or_else(|| node.get("not")).map(|node| values(node, fields.problems));
        if fields.problems.count(Severity::Error) > before {
            return None;
        }
        let not = not.flatten();
        match (matches, min.or(max), not) {
            (Some(pattern), None, None) => Some(Condition::Matches(pattern)),
            (None, Some(_), None) => Some(Condition::Within { min, max }),
            (None, None, Some(values)) => Some(Condition::Not(Box::new(Condition::OneOf(values)))),
            _ => {
                let message = "a condition needs either `matches`, or `min` and `max`, or `not`";
                fields.problems.error(fields.span(), message, "").help("write `{ min: 1, max: 5 }`, for example");
                None
            }
        }
    })
}

fn bad_pattern(written: &Spanned<String>, error: &regex::Error, problems: &mut Diagnostics) {
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
    problems.error(written.span, format!("this pattern is invalid: {reason}"), "not a regular expression");
}

impl WrittenData {
    /// Scans the files. `nodes` contain all variables of the case.
    pub(super) fn scan(
        self,
        loading: &mut Loading<'_>,
        folder: &std::path::Path,
        nodes: &[&Node],
        problems: &mut Diagnostics,
    ) -> Option<CaseData> {
        let before = problems.count(Severity::Error);
        for node in nodes {
            columns_outside(node, problems);
        }
        let found = find(loading.files, folder, &self.files, problems);
        let paths: Vec<_> = found.iter().map(|file| (file.path.as_path(), file.format)).collect();
        let template = self.id.as_ref().map(|id| IdTemplate::parse(&id.value));
        let scanned = scan(loading.files, &paths, &self.filter, template.as_ref());
        let files = files_of(&found, loading);
        let mut failures = Diagnostics::default();
        for (position, error) in &scanned.failed {
            failures.push(failed(error, &found[*position], &files[*position]));
        }
        // An unknown column makes every row a bad one.
        self.unknown_columns(&scanned, template.as_ref(), nodes, problems);
        if problems.count(Severity::Error) == before {
            problems.append(failures);
        }
        for (position, doubt) in &scanned.doubts {
            let doubt = failed(doubt, &found[*position], &files[*position]);
            problems.push(Diagnostic { severity: Severity::Warning, ..doubt });
        }
        if problems.count(Severity::Error) > before {
            return None;
        }
        self.no_rows(&scanned, problems);
        let dataset = Dataset { files, index: scanned.index, id: template };
        if let Some((first, second)) = dataset.index.duplicate() {
            problems.push(duplicate(&dataset, first, second));
        }
        let data = CaseData { dataset, from: self.from, filter: self.conditions, id: self.id.map(|id| id.value) };
        tell_bad_rows(&data, loading.problems);
        Some(data)
    }

    /// Reports columns that no row has.
    fn unknown_columns(&self, scanned: &Scan, id: Option<&IdTemplate>, nodes: &[&Node], problems: &mut Diagnostics) {
        if scanned.rows == 0 {
            return;
        }
        let of_id = self.id.iter().flat_map(|written| {
            id.into_iter().flat_map(IdTemplate::columns).map(|name| (name.to_owned(), written.span))
        });
        let of_filter = self.filtered.iter().map(|column| (column.value.clone(), column.span));
        let mut wanted: Vec<(String, Span)> = of_id.chain(of_filter).collect();
        for node in nodes {
            columns_of(node, &mut wanted);
        }
        let mut told: Vec<String> = Vec::new();
        for (name, span) in wanted {
            if !scanned.columns.lack(&name) || told.contains(&name) {
                continue;
            }
            let known: Vec<&str> = scanned.columns.names().collect();
            let help = did_you_mean(&name, known.iter().copied()).map_or_else(
                || format!("the columns are {}", read::quoted_list(&known[..known.len().min(20)])),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("no row has a column `{}`", name.escape_debug());
            problems.error(span, message, "unknown column").help(help);
            told.push(name);
        }
    }

    /// A case without rows would pass without testing anything.
    fn no_rows(&self, scanned: &Scan, problems: &mut Diagnostics) {
        if !scanned.index.is_empty() || problems.has_errors() {
            return;
        }
        let (message, help) = match (scanned.rows, &self.conditions) {
            (0, _) => ("the data has no rows".to_owned(), "add rows, or remove the case"),
            (rows, _) => (format!("none of the {rows} rows meets the conditions of `where`"), "change the conditions"),
        };
        let span = self.conditions.as_ref().filter(|_| scanned.rows > 0).unwrap_or(&self.from).span;
        problems.error(span, message, "makes no case").help(help);
    }
}

/// The files with an id in the sources; their text is not kept.
fn files_of(found: &[FoundFile], loading: &mut Loading<'_>) -> Vec<DatasetFile> {
    let file = |found: &FoundFile| DatasetFile {
        path: found.path.clone(),
        format: found.format,
        file: loading.sources.add(&found.path, ""),
    };
    found.iter().map(file).collect()
}

/// The columns in the variables of a node.
fn columns_of(node: &Node, into: &mut Vec<(String, Span)>) {
    // Nothing is replaced; the walk visits every string with its place.
    let _unchanged = node.map_strings(&mut |text, span| {
        let text = Text::parse(text);
        let columns = text.variables().filter(|name| is_row(name)).filter_map(|name| name.strip_prefix("row."));
        into.extend(columns.map(|name| (name.to_owned(), span)));
        None
    });
}

/// Reports columns in keys that are read once for all rows.
fn columns_outside(node: &Node, problems: &mut Diagnostics) {
    for key in ["tags", "description"] {
        let mut found = Vec::new();
        if let Some(value) = node.get(key) {
            columns_of(value, &mut found);
        }
        if let Some((_, span)) = found.first() {
            let message = format!("`{key}` cannot contain a column");
            let help = "put it into `metadata`, which reports show, or select rows with `where`";
            problems.error(*span, message, "the same for all rows").help(help);
        }
    }
}

/// The problem with a file as a whole: at the file if a line is known, else where the suite names it.
fn failed(error: &DataError, found: &FoundFile, file: &DatasetFile) -> Diagnostic {
    let shown = found.path.display();
    if error.line == 0 {
        let problem = Diagnostic::error(found.span, format!("cannot read `{shown}`: {}", error.message));
        return Diagnostic { help: error.help.clone(), ..problem.label("names this file") };
    }
    let span = Span { file: file.file, line: error.line, column: error.column, width: 1 };
    Diagnostic { help: error.help.clone(), ..Diagnostic::error(span, error.message.clone()) }
}

/// Reports bad rows when the suite is read; each is also the error of its case.
fn tell_bad_rows(data: &CaseData, problems: &mut Diagnostics) {
    let index = &data.dataset.index;
    for (row, error) in index.problems().take(MOST_TOLD) {
        problems.push(row_problem(data, row, error));
    }
    let count = index.problems().count();
    if let (true, Some(file)) = (count > MOST_TOLD, data.dataset.files.first()) {
        let message = format!("{} more rows are bad", count - MOST_TOLD);
        problems.push(Diagnostic::error(Span::whole(file.file), message));
    }
}

fn duplicate(dataset: &Dataset, first: usize, second: usize) -> Diagnostic {
    let index: &RowIndex = &dataset.index;
    let span = |row| dataset.span(row).unwrap_or(Span::whole(dataset.files[0].file));
    let (first, again) = (span(first), span(second));
    let before = dataset.files.iter().find(|file| file.file == first.file).expect("a row is in a file of its dataset");
    let message = format!("two rows make a case with the id `{}`", index.id(second).escape_debug());
    let help = match &dataset.id {
        Some(_) => "make ids from columns that differ, such as `id: \"{lang}-{id}\"`, or omit `id` to number the rows",
        None => "rename one of the files, or make ids from columns: `id: \"{lang}-{id}\"`",
    };
    Diagnostic::error(again, message)
        .label(format!("the first is in `{}` at line {}", before.path.display(), first.line))
        .help(help)
}
