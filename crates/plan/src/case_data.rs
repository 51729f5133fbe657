//! Cases that are made from rows of data, one at a time.
//!
//! A suite may have a million rows, so they do not become cases when the suite is read. The plan has one case that
//! stands for all of them, and a position in the plan is a case and a row.

use std::borrow::Cow;
use std::sync::Arc;

use agentci_dataset::{DataError, DataRow, Dataset, RowCursor};
use agentci_source::{Diagnostic, Name, Node, Span};

use crate::case_path::filled_path;
use crate::template::{fill_columns, fill_shown};
use crate::{
    Case, Cases, ColumnError, Combination, McpSource, McpWorld, RecordingSetting, ToolSource, TurnInput, World,
};

/// The data of a case that stands for many.
#[derive(Debug, Clone)]
pub struct CaseData {
    /// The rows.
    pub dataset: Dataset,
    /// `from` as written: the files.
    pub from: Node,
    /// `where` as written: the rows to use.
    pub filter: Option<Node>,
    /// `id` as written.
    pub id: Option<String>,
}

impl CaseData {
    /// The id of a row without the axes that a matrix appends to it.
    fn common_id(&self, row: usize, of: &str) -> Option<&str> {
        let axes = self.id.as_deref()?.strip_prefix(of)?;
        self.dataset.index.id(row).strip_suffix(axes)
    }
}

/// The position of a case in a plan: the case, and its row if it is made from data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CasePosition {
    /// The position among the cases as written.
    pub case: u32,
    /// The row; 0 for a case that is not made from data.
    pub row: u32,
}

/// A case of a plan that may not have been completed with its row.
#[derive(Debug, Clone, Copy)]
pub struct PlannedCase<'p> {
    /// The case as written. Its id is that of all its rows; use [`PlannedCase::id`].
    pub case: &'p Case,
    row: usize,
}

impl<'p> PlannedCase<'p> {
    pub fn id(&self) -> &'p str {
        match &self.case.data {
            Some(data) => data.dataset.index.id(self.row),
            None => &self.case.id,
        }
    }

    /// The case with its row, if it is made from data.
    pub fn completed(&self, rows: &mut RowCursor<'_>) -> Cow<'p, Case> {
        match &self.case.data {
            Some(data) => Cow::Owned(self.case.at_row(self.row, rows.read(&data.dataset, self.row))),
            None => Cow::Borrowed(self.case),
        }
    }

    /// The id that it shares with the other combinations of a matrix, if it is one.
    pub fn common_id(&self) -> Option<&'p str> {
        let combination = self.case.combination.as_deref()?;
        match &self.case.data {
            Some(data) => data.common_id(self.row, &combination.of),
            None => Some(&combination.of),
        }
    }

    /// Where it is defined: for a row, the place in its file.
    pub fn span(&self) -> Span {
        let row = self.case.data.as_ref().and_then(|data| data.dataset.span(self.row));
        row.unwrap_or(self.case.span)
    }

    /// Its world, with its id in the paths.
    pub fn world(&self) -> Arc<World> {
        let own = self.case.data.as_ref().and_then(|_| self.case.world.of_case(self.id()));
        own.map_or_else(|| Arc::clone(&self.case.world), Arc::new)
    }

    /// What is wrong with its row, if anything.
    pub fn row_problem(&self) -> Option<Diagnostic> {
        let data = self.case.data.as_ref()?;
        let error = data.dataset.index.problem(self.row)?;
        Some(row_problem(data, self.row, error))
    }

    /// Whether its own part of the suite, or its row, is invalid.
    pub fn is_broken(&self) -> bool {
        self.case.broken.is_some() || self.row_problem().is_some()
    }
}

/// The positions of all cases, in order.
pub fn positions(cases: &Cases) -> impl Iterator<Item = CasePosition> {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let rows = |case: &Case| case.data.as_ref().map_or(1, |data| data.dataset.index.len());
    let each = cases.iter().enumerate().map(move |(case, of)| (narrow(case), narrow(rows(of))));
    each.flat_map(|(case, rows)| (0..rows).map(move |row| CasePosition { case, row }))
}

/// The number of cases, with one for each row.
pub fn case_count(cases: &Cases) -> usize {
    cases.iter().map(|case| case.data.as_ref().map_or(1, |data| data.dataset.index.len())).sum()
}

/// The case at a position; `None` if there is none.
pub fn planned(cases: &Cases, position: CasePosition) -> Option<PlannedCase<'_>> {
    let case = &**cases.get(position.case as usize)?;
    let row = position.row as usize;
    let exists = case.data.as_ref().map_or(row == 0, |data| row < data.dataset.index.len());
    exists.then_some(PlannedCase { case, row })
}

/// The cases by their files: one that is made from data is included once for each row if its paths contain the id of
/// the case, and otherwise once.
pub fn cases_by_files(cases: &Cases) -> impl Iterator<Item = Cow<'_, Case>> {
    cases.iter().flat_map(|case| {
        let rows = case.data.as_ref().filter(|_| case.world.of_case("").is_some());
        let rows = rows.map(|data| data.dataset.index.len());
        (0..rows.unwrap_or(1)).map(move |row| match rows {
            Some(_) => {
                let of_row = PlannedCase { case, row };
                let (id, world) = (Name::from(of_row.id()), of_row.world());
                Cow::Owned(Case { id, world, data: None, ..Case::clone(case) })
            }
            None => Cow::Borrowed(&**case),
        })
    })
}

impl Case {
    /// The case for a row: with the id and the data of the row. A row that cannot be read makes a broken case.
    #[must_use]
    pub fn at_row(&self, number: usize, read: Result<DataRow, DataError>) -> Self {
        let Some(data) = &self.data else { return self.clone() };
        let span = data.dataset.span(number).unwrap_or(self.span);
        let id = Name::from(data.dataset.index.id(number));
        let mut case = Self { span, data: None, ..self.clone() };
        if let Some(world) = self.world.of_case(&id) {
            case.world = Arc::new(world);
        }
        if let Some(combination) = &self.combination
            && let Some(of) = data.common_id(number, &combination.of)
        {
            case.combination = Some(Arc::new(Combination { of: of.into(), axes: combination.axes.clone() }));
        }
        case.id = id;
        match read {
            Ok(row) => {
                if let Err(error) = case.fill_row(&row) {
                    let help = "correct the value, or remove `|json` to use it as text";
                    let problem = Diagnostic::error(span, error.to_string()).help(help);
                    case.broken.get_or_insert_default().push(problem);
                }
                case.row = Some(Arc::new(row));
            }
            Err(error) => case.broken.get_or_insert_default().push(row_problem(data, number, &error)),
        }
        case
    }

    /// Fills in the columns that keep their type.
    fn fill_row(&mut self, row: &DataRow) -> Result<(), ColumnError> {
        let lookup = |name: &str| row.variable(name);
        for turn in &mut self.turns {
            match &mut turn.said {
                TurnInput::Input(input) => *input = input.fill_row(&lookup)?,
                TurnInput::Action(action) => action.arguments = fill_columns(&action.arguments, &lookup)?,
                TurnInput::Messages(_) => {}
            }
        }
        for shown in [&mut self.asked, &mut self.expected, &mut self.metadata].into_iter().flatten() {
            *shown = Arc::new(fill_shown(shown, &lookup)?);
        }
        Ok(())
    }
}

/// The problem with a row, at its place in the data file.
pub fn row_problem(data: &CaseData, row: usize, error: &DataError) -> Diagnostic {
    let whole = || Span::whole(data.dataset.files[0].file);
    let place = data.dataset.span_of(row, error).unwrap_or_else(whole);
    Diagnostic { help: error.help.clone(), ..Diagnostic::error(place, error.message.clone()) }
}

impl World {
    /// The world with the id of a case in its paths; `None` if no path contains one.
    fn of_case(&self, id: &str) -> Option<Self> {
        let mut world = None;
        if let ToolSource::Cassette(cassette) = &self.tools
            && let Some(path) = filled_path(&cassette.path, id)
        {
            let cassette = crate::Cassette { path, span: cassette.span };
            world.get_or_insert_with(|| self.clone()).tools = ToolSource::Cassette(cassette);
        }
        let own = |setting: &Option<RecordingSetting>| {
            let setting = setting.as_ref()?;
            Some(RecordingSetting { path: filled_path(&setting.path, id)?, span: setting.span })
        };
        if let Some(recording) = own(&self.recording) {
            world.get_or_insert_with(|| self.clone()).recording = Some(recording);
        }
        if let Some(recording) = own(&self.recorded_model) {
            world.get_or_insert_with(|| self.clone()).recorded_model = Some(recording);
        }
        let recorded = |server: &McpWorld| match &server.source {
            McpSource::Recording { path, server: named } => {
                let source = McpSource::Recording { path: filled_path(path, id)?, server: named.clone() };
                Some(McpWorld { source, ..server.clone() })
            }
            McpSource::Script { .. } => None,
        };
        if self.mcp.iter().any(|server| recorded(server).is_some()) {
            let mcp = self.mcp.iter().map(|server| recorded(server).unwrap_or_else(|| server.clone())).collect();
            world.get_or_insert_with(|| self.clone()).mcp = mcp;
        }
        world
    }
}
