//! Reads the axes of a matrix and their values.

use std::sync::Arc;

use agentci_source::{Diagnostic, Diagnostics, Name, Node, Pair, Reader, Reading, Scalar, Span, read};
use serde_json::Value;

use super::label::labels;
use super::reference::AxisValues;
use super::selection::select;
use super::shape::{MATRIX, is_axis_name};

/// The maximum number of combinations of a case.
pub(super) const MOST_COMBINATIONS: usize = 1000;
/// The maximum number of characters of a value: each case and each of its events contains the values.
const LONGEST_VALUE: usize = 1000;

/// The matrix of a suite or a case. A matrix without axes is empty: the case runs once.
pub(super) struct Matrix {
    pub(super) axes: Vec<Axis>,
    pub(super) combinations: Vec<MatrixCombination>,
}

pub(super) struct Axis {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) values: Vec<AxisValue>,
}

#[derive(Clone)]
pub(in crate::native) struct AxisValue {
    pub(in crate::native) scalar: Scalar,
    pub(super) span: Span,
    /// The text of the file that it names, if that is inserted anywhere.
    pub(super) text: Option<Arc<str>>,
}

/// A value for every axis.
pub(super) struct MatrixCombination {
    /// What is appended to the id of a case: `[model=small,prompt=short]`.
    pub(super) suffix: String,
    /// The values as text.
    pub(super) axes: Box<[(Name, Name)]>,
    /// The values with their types.
    pub(super) values: AxisValues,
}

impl Matrix {
    /// Reads a matrix; `None` if it is invalid.
    pub(super) fn read(node: &Node, problems: &mut Diagnostics) -> Option<Self> {
        let mut own = Diagnostics::default();
        let read = Self::read_valid(node, &mut own).filter(|_| !own.has_errors());
        problems.append(own);
        read
    }

    fn read_valid(node: &Node, problems: &mut Diagnostics) -> Option<Self> {
        let mut fields = MATRIX.reader(node, problems)?;
        let lists = ["include", "exclude"].map(|key| fields.named_or_default(key, combination_nodes));
        let mut axes = axes_of(&mut fields);
        fields.end();
        let [include, exclude] = lists;
        if axes.is_empty() {
            axes = axes_of_include(&include);
        }
        let rows = select(&axes, &include, &exclude, node.span, problems);
        Some(Self { combinations: named(&axes, rows), axes })
    }

    /// The names of the axes.
    pub(super) fn names(&self) -> Vec<&str> {
        self.axes.iter().map(|axis| axis.name.as_str()).collect()
    }
}

impl MatrixCombination {
    /// The values as text, for places that are always text.
    pub(super) fn texts(&self) -> AxisValues {
        let text = |value: &AxisValue| AxisValue { scalar: Scalar::quoted(&*value.scalar.text), ..value.clone() };
        self.values.iter().map(|(axis, value)| (axis.clone(), text(value))).collect()
    }
}

/// The mappings of `include` or `exclude`.
fn combination_nodes<'n>(node: &'n Node, name: &str, problems: &mut Diagnostics) -> Vec<&'n Node> {
    let items = read::list(node, name, problems).unwrap_or_default();
    let is_mapping = |item: &&Node| {
        if item.pairs().is_none() {
            let rule = format!("a combination in `{name}` must be a mapping");
            problems.mismatch(item, rule, "expected `axis: value`");
        }
        item.pairs().is_some()
    };
    items.iter().filter(is_mapping).collect()
}

fn axes_of(fields: &mut Reader<'_, '_>) -> Vec<Axis> {
    let pairs: Vec<&Pair> = fields.rest().collect();
    pairs.into_iter().filter_map(|pair| axis(pair, fields.problems)).collect()
}

/// The axes of a matrix that only has `include`.
fn axes_of_include(include: &[&Node]) -> Vec<Axis> {
    let pairs = include.first().and_then(|first| first.pairs()).unwrap_or_default();
    pairs.iter().map(|pair| Axis { name: pair.key.text.clone(), span: pair.key.span, values: Vec::new() }).collect()
}

fn axis(pair: &Pair, problems: &mut Diagnostics) -> Option<Axis> {
    let name = pair.key.text.escape_debug().to_string();
    if !is_axis_name(&pair.key.text) {
        let message = format!("`{name}` cannot be the name of an axis");
        let help = "use up to 40 letters, digits, `_` and `-`, and begin with a letter";
        problems.error(pair.key.span, message, "cannot be written as `${matrix.NAME}`").help(help);
        return None;
    }
    let Some(items) = pair.value.items() else {
        let written = pair.value.scalar().filter(|scalar| !scalar.is_null());
        let help = written.map_or("write a list of values".into(), |scalar| {
            format!("write it as a list: `{name}: [{}]`", scalar.text.escape_debug())
        });
        problems.mismatch(&pair.value, format!("the axis `{name}` must be a list"), "expected a list").help(help);
        return None;
    };
    if items.is_empty() {
        let help = "add a value, or remove the axis; `matrix: {}` in a case opts out of the suite's matrix";
        problems
            .error(pair.value.span, format!("the axis `{name}` has no values"), "a value is missing here")
            .help(help);
        return None;
    }
    let mut values: Vec<AxisValue> = Vec::new();
    for item in items {
        let Some(value) = axis_value(item, &name, problems) else { continue };
        if values.iter().any(|known| known.scalar.text == value.scalar.text) {
            let message = format!("the axis `{name}` has the value `{}` twice", value.scalar.text.escape_debug());
            problems
                .error(item.span, message, "its cases would run twice")
                .help("remove it, or use `runs` to repeat cases");
        } else {
            values.push(value);
        }
    }
    (!values.is_empty()).then(|| Axis { name: pair.key.text.clone(), span: pair.key.span, values })
}

/// Reads a value of an axis, in the axis itself or in `include` or `exclude`.
pub(super) fn axis_value(node: &Node, axis: &str, problems: &mut Diagnostics) -> Option<AxisValue> {
    let found = node.scalar().filter(|scalar| {
        matches!(scalar.value(Reading::Core), Some(Value::String(_) | Value::Number(_) | Value::Bool(_)))
    });
    let Some(scalar) = found else {
        let rule = format!("a value of the axis `{axis}` must be a string, a number or a boolean");
        problems.mismatch(node, rule, "expected a single value");
        return None;
    };
    if let Some(problem) = refused(&scalar.text, axis, node.span) {
        problems.push(problem);
        return None;
    }
    Some(AxisValue { scalar: scalar.clone(), span: node.span, text: None })
}

/// Why a text cannot be the value of an axis. Values are inserted as they are: a variable in one would be filled in some
/// places of a suite, and not in others, such as paths.
fn refused(text: &str, axis: &str, span: Span) -> Option<Diagnostic> {
    let error = |what: String, label: &str, help: String| Some(Diagnostic::error(span, what).label(label).help(help));
    if text.contains("${") || text.ends_with('$') {
        return error(
            format!("a value of the axis `{axis}` cannot contain a variable"),
            "would not be filled in",
            format!("let the axis name the variable, and write `${{ENV.${{matrix.{axis}}}}}` where it is used"),
        );
    }
    let length = text.chars().count();
    if length > LONGEST_VALUE {
        return error(
            format!("a value of the axis `{axis}` has {length} characters, the limit is {LONGEST_VALUE}"),
            "too long",
            "put the text in a file, and the path of the file in the axis".into(),
        );
    }
    None
}

/// The combinations with the ids and values that cases need.
fn named(axes: &[Axis], rows: Vec<Vec<AxisValue>>) -> Vec<MatrixCombination> {
    let names: Vec<Vec<(String, String)>> = (0..axes.len())
        .map(|axis| {
            let mut texts: Vec<&str> = Vec::new();
            for row in &rows {
                if !texts.contains(&&*row[axis].scalar.text) {
                    texts.push(&row[axis].scalar.text);
                }
            }
            texts.iter().map(|text| (*text).to_owned()).zip(labels(&texts)).collect()
        })
        .collect();
    let combination = |row: Vec<AxisValue>| {
        let label = |axis: usize| {
            let text = &*row[axis].scalar.text;
            let found = names[axis].iter().find(|(known, _)| known == text);
            found.expect("every value has a label").1.as_str()
        };
        let parts: Vec<String> = (0..axes.len()).map(|axis| format!("{}={}", axes[axis].name, label(axis))).collect();
        let texts = axes.iter().zip(&row).map(|(axis, value)| (axis.name.clone(), Name::from(&*value.scalar.text)));
        let values = axes.iter().zip(&row).map(|(axis, value)| (axis.name.to_string(), value.clone()));
        MatrixCombination { suffix: format!("[{}]", parts.join(",")), axes: texts.collect(), values: values.collect() }
    };
    rows.into_iter().map(combination).collect()
}
