//! Reads script files before anything runs, so that their errors are reported with their positions.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use agentci_checks::{ReadyCase, ReadyCheck, ScriptCall, survivable};
use agentci_plan::InvalidChecks;
use agentci_python::{OutlineSyntaxError, is_python};
use agentci_script::{ScriptError, ScriptProgram};
use agentci_source::{Diagnostic, Diagnostics, Sources, Span, did_you_mean, read as reading};

use crate::LoadedSuite;
use crate::python_scripts::PythonOutlines;

/// Reads every script file whose functions checks call. Errors are returned, and kept with the cases that they belong
/// to. If an invalid check only fails its case, it never passes.
pub(crate) fn read(sources: &mut Sources, suites: &mut [LoadedSuite]) -> Diagnostics {
    let python = PythonOutlines::read(suites);
    let mut files = ScriptFiles::default();
    let mut told = Diagnostics::default();
    let mut places = BTreeSet::new();
    for LoadedSuite { suite, ready, .. } in suites {
        for case in &mut ready.cases {
            let ReadyCase { checks, turns, problems } = case;
            for check in checks.iter_mut().chain(turns.iter_mut().flatten()) {
                let problem = ReadyCheck::script(check).and_then(|call| {
                    if is_python(&call.file.path) {
                        return of_python(&python, call, sources);
                    }
                    self::problem(&mut files, call, sources)
                });
                let Some(mut problem) = problem else { continue };
                if suite.conventions.invalid_checks == InvalidChecks::FailCase {
                    *check = check.unusable(&problem);
                    problem = survivable(&problem);
                } else {
                    problems.push(problem.clone());
                }
                // A problem that many cases share is reported once.
                if places.insert((problem.span, problem.message.clone())) {
                    told.push(problem);
                }
            }
        }
    }
    told
}

/// The files that were read, or the problem with each.
type ScriptFiles = HashMap<PathBuf, Result<ScriptProgram, Diagnostic>>;

fn problem(files: &mut ScriptFiles, call: &ScriptCall, sources: &mut Sources) -> Option<Diagnostic> {
    let known = files.entry(call.file.path.clone());
    match known.or_insert_with(|| ScriptProgram::read(&call.file).map_err(|error| wrong(call, &error, sources))) {
        Err(problem) => Some(problem.clone()),
        Ok(program) if program.may_have(&call.function.value) => None,
        Ok(program) => Some(missing(call, program.functions())),
    }
}

fn wrong(call: &ScriptCall, error: &ScriptError, sources: &mut Sources) -> Diagnostic {
    let ScriptError::Syntax { line, column, message } = error else {
        return Diagnostic::error(call.file_span, error.to_string()).label("names this file");
    };
    unparsed(call, (*line, *column), message, sources)
}

fn unparsed(call: &ScriptCall, (line, column): (u32, u32), message: &str, sources: &mut Sources) -> Diagnostic {
    let file = sources.add(&call.file.path, call.file.source.as_str());
    let span = Span { line, column, width: 1, ..Span::whole(file) };
    Diagnostic::error(span, format!("this script cannot be parsed: {message}")).label("here")
}

/// The problem with a function of a Python file.
fn of_python(python: &PythonOutlines, call: &ScriptCall, sources: &mut Sources) -> Option<Diagnostic> {
    match python.get(&call.file)? {
        Err(OutlineSyntaxError { line, column, message }) => Some(unparsed(call, (*line, *column), message, sources)),
        Ok(outline) if outline.may_have(&call.function.value) => None,
        Ok(outline) => Some(missing(call, &outline.functions)),
    }
}

fn missing(call: &ScriptCall, functions: &[String]) -> Diagnostic {
    let name = &call.function.value;
    let help = match did_you_mean(name, functions.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if functions.is_empty() => "it has no top-level functions".into(),
        None => format!("its functions are {}", reading::quoted_list(functions)),
    };
    let message = format!("`{}` has no function `{name}`", call.file.path.display());
    Diagnostic::error(call.function.span, message).label("no such function").help(help)
}
