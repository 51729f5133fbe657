//! Everything a case needs before its agent is started, and everything that can go wrong with it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use agentci_checks::{ReadyCheck, refill};
use agentci_drivers::{Input, Line, ToolBases};
use agentci_plan::{Cassette, Mode, RecordedNumbers, Said, ToolSource, World, mix};
use agentci_source::Reading;
use agentci_stubs::{Faults, Normalizer, Player, Recorder, Scripted, Toolbox};
use agentci_trace::{Kind, PLACEHOLDER, Redactor};
use agentci_verdict::{Cause, Finding, Replay};
use serde_json::Map;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::job::Job;
use crate::mock_model::{self, Model};
use crate::recording::{self, Tape};
use crate::secrets::CaseSecrets;
use crate::services::OpenTools;
use crate::surroundings::{Surroundings, surroundings};
use crate::tool_host::Source;
use crate::variables::Scope;
use crate::{findings, hook};

/// A case that is ready to be run.
pub(crate) struct Prepared<'p> {
    pub(crate) scope: Scope<'p>,
    pub(crate) checks: Vec<ReadyCheck>,
    pub(crate) turn_checks: Vec<Vec<ReadyCheck>>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) source: Source,
    pub(crate) scripted: Scripted,
    pub(crate) model: Option<Model>,
    /// The tools of the case that are over HTTP.
    pub(crate) tools: Option<OpenTools>,
    /// What leads the agent to them.
    pub(crate) bases: ToolBases,
    /// What an agent that is started for this attempt finds in its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// What is seen by the model and by the tools.
    pub(crate) wire: Option<UnboundedReceiver<Kind>>,
    /// What is odd already.
    pub(crate) warning: Option<String>,
    pub(crate) faults: Faults,
    pub(crate) normalizer: Normalizer,
    /// The secrets known before the agent says anything; calls are compared and recorded without them.
    pub(crate) secrets: Redactor,
    pub(crate) replay: Option<Replay>,
    /// How a server is reached.
    pub(crate) line: Line,
}

/// Why a case can not be run.
pub(crate) struct Unprepared {
    pub(crate) findings: Vec<Finding>,
    pub(crate) stderr_tail: Vec<String>,
}

impl From<Finding> for Unprepared {
    fn from(finding: Finding) -> Self {
        Self { findings: vec![finding], stderr_tail: Vec::new() }
    }
}

impl From<Vec<Finding>> for Unprepared {
    fn from(findings: Vec<Finding>) -> Self {
        Self { findings, stderr_tail: Vec::new() }
    }
}

/// Prepares an attempt at a case.
pub(crate) async fn prepare<'j>(job: &Job<'j>, number: u32) -> Result<Prepared<'j>, Unprepared> {
    let case = job.case;
    let mut secrets = CaseSecrets::new(job);
    let mut wrong = case.broken.as_ref().map(|broken| findings::config(broken, job.sources)).unwrap_or_default();
    wrong.extend(findings::config(&job.ready.problems, job.sources));
    if !wrong.is_empty() {
        return Err(wrong.into());
    }
    let config = |message: String, span| findings::plain(Cause::Config, message, Some(job.place(span)));
    let mut scope = Scope::new(case, job.options.environment, || job.place(case.span)).map_err(|finding| *finding)?;
    secrets.surroundings(job, &|name| scope.get(name));
    let mut tape = recording::open(job).map_err(|finding| *finding)?;
    run_hooks(job, &mut scope, &mut tape, &mut secrets).await?;
    let seed = case.id.bytes().fold(job.options.seed, |seed, byte| mix(seed ^ u64::from(byte)));
    let seed = mix(seed ^ u64::from(number));
    // In record mode nothing goes wrong on purpose: the recording is of the tools as they are.
    let planned = if job.options.mode == Mode::Record { [].into() } else { Arc::clone(&case.world.faults) };
    let faults = || Faults::new(Arc::clone(&planned), seed);
    let has_wire = case.world.model.is_some() || matches!(case.world.tools, ToolSource::Routes(_));
    let (observer, wire) = has_wire.then(unbounded_channel).unzip();
    let replayed = matches!(tape, Tape::Replay(..));
    // In a replay nobody asks it.
    let model = if replayed {
        None
    } else {
        start_model(job, seed, observer.clone(), &scope).await.map_err(|finding| *finding)?
    };
    let surroundings =
        surroundings(job, number, &mut scope, replayed, faults(), observer.as_ref(), model.as_ref()).await?;
    let Surroundings { tools, bases, mut environment, warning } = surroundings;
    let lookup = |name: &str| scope.get(name);
    let mut inputs = Vec::with_capacity(case.turns.len());
    for turn in &case.turns {
        inputs.push(input(&turn.said, &lookup).map_err(|message| scope.unset(message, job.place(turn.span)))?);
    }
    let checks = fill(job, &job.ready.checks, &scope)?;
    let turn_checks = job.ready.turns.iter().map(|checks| fill(job, checks, &scope)).collect::<Result<Vec<_>, _>>()?;
    let secrets = secrets.whole(job, &scope, &inputs, checks.iter().chain(turn_checks.iter().flatten()));
    // What could not be filled any more is a secret that is not known.
    if scope.is_spent() {
        return Err(Scope::too_much(job.place(case.span)).into());
    }
    let normalizer = Normalizer::new(&case.world.normalization).map_err(|message| config(message, case.span))?;
    let scripted = Scripted::new(&case.world.scripted, &lookup);
    let scripted = scripted.map_err(|error| scope.unset(error.to_string(), job.place(case.span)))?;
    let limit = patience(job);
    let (source, replay) = if job.options.mode == Mode::Replay {
        recorded(job, &secrets).map_err(|finding| *finding)?
    } else {
        let source = tokio::time::timeout(limit, executed(job, &lookup))
            .await
            .map_err(|_| findings::timeout(limit, vec!["its tools were not ready by then".into()]))?
            .map_err(|finding| *finding)?;
        (source, None)
    };
    environment.extend(model.iter().flat_map(|model| model.environment.iter().cloned()));
    let watched = model.is_some() || tools.is_some();
    if watched {
        environment.extend(mock_model::no_proxy(job.options.environment));
    }
    let (line, replay) = match tape {
        Tape::Live => (Line::Live, replay),
        Tape::Record(recorder) => (Line::Record(recorder), replay),
        Tape::Replay(recording, of_recording) => {
            let player = agentci_drivers::Player::new(recording, secrets.clone());
            (Line::Replay(player), replay.or(Some(of_recording)))
        }
    };
    Ok(Prepared {
        scope,
        checks,
        turn_checks,
        inputs,
        source,
        scripted,
        model,
        tools,
        bases,
        environment,
        wire: wire.filter(|_| watched),
        warning,
        faults: faults(),
        normalizer,
        secrets,
        replay,
        line,
    })
}

async fn start_model(
    job: &Job<'_>,
    seed: u64,
    observer: Option<UnboundedSender<Kind>>,
    scope: &Scope<'_>,
) -> Result<Option<Model>, Box<Finding>> {
    mock_model::start(job, seed, observer, &|name| scope.get(name)).await
}

/// Runs the hooks of a case, in order. What they print are variables of the case.
async fn run_hooks(
    job: &Job<'_>,
    scope: &mut Scope<'_>,
    tape: &mut Tape,
    secrets: &mut CaseSecrets,
) -> Result<(), Unprepared> {
    for (number, step) in job.case.hooks.iter().enumerate() {
        // What a hook printed when the conversation was recorded, it need not print again.
        if let Tape::Replay(recording, _) = &*tape {
            scope.take(recording.variables(number).unwrap_or(&Map::new()));
            continue;
        }
        let printed = Box::pin(hook::run(step, scope)).await;
        if scope.is_spent() {
            return Err(Scope::too_much(job.place(step.span)).into());
        }
        let printed = printed.map_err(|failure| Unprepared {
            findings: vec![Finding {
                help: failure.help.map(Into::into),
                ..findings::plain(Cause::Hook, failure.message, Some(job.place(step.span)))
            }],
            stderr_tail: failure.stderr_tail,
        })?;
        scope.take(&printed);
        secrets.surroundings(job, &|name| scope.get(name));
        if let Tape::Record(recorder) = tape {
            recorder.printed(number, printed);
        }
    }
    Ok(())
}

/// How long the tools of a case may take to be ready: as long as the case may.
fn patience(job: &Job<'_>) -> Duration {
    let wall = job.case.limits.wall_ms.map(|limit| Duration::try_from_secs_f64(limit.most.max(0.0) / 1000.0));
    let timeout = job.options.timeout.or(job.case.timeout);
    let far = Duration::from_hours(24);
    timeout.unwrap_or(far).min(wall.and_then(Result::ok).unwrap_or(far)).max(Duration::from_secs(1))
}

/// What is said to the agent, as the value that its driver sends.
fn input(said: &Said, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Input, String> {
    match said {
        Said::Input(data) => data.fill(lookup).map(|task| Input::Task(task.into())).map_err(|unset| unset.to_string()),
        Said::Messages(messages) => {
            let mut list = Vec::with_capacity(messages.len());
            for message in messages {
                let content = message.content.fill(lookup).map_err(|unset| unset.to_string())?;
                let mut whole = Map::from_iter([
                    ("role".to_owned(), message.role.as_str().into()),
                    ("content".to_owned(), content.into()),
                ]);
                whole.extend(message.more.clone());
                list.push(whole.into());
            }
            Ok(Input::Messages(list))
        }
        Said::Action(action) => {
            let filled = agentci_plan::fill(&action.arguments, lookup).map_err(|unset| unset.to_string())?;
            let arguments = filled.value(Reading::Core).map_err(|_| "it holds what JSON can not say".to_owned())?;
            Ok(Input::Action { kind: action.kind.value.clone(), arguments })
        }
    }
}

/// Fills the variables of checks that have some.
fn fill(job: &Job<'_>, checks: &[ReadyCheck], scope: &Scope<'_>) -> Result<Vec<ReadyCheck>, Vec<Finding>> {
    let fill = |check: &ReadyCheck| {
        if !check.waits_for_variables() {
            return Ok(check.clone());
        }
        let span = check.check().kind.span;
        // A secret that a recording does not hold stands for itself, and is no pattern.
        let literal = |name: &str| {
            let value = scope.get(name)?;
            Some(if value == PLACEHOLDER { r"\[REDACTED\]".to_owned() } else { value })
        };
        match refill(check, job.options.files, &job.suite.folder, &literal) {
            Ok(Ok(ready)) => Ok(ready),
            Ok(Err(problems)) => Err(findings::config(&problems, job.sources)),
            Err(unset) => Err(vec![scope.unset(unset.to_string(), job.place(span))]),
        }
    };
    checks.iter().map(fill).collect()
}

/// The answers to tool calls in a replay: those of the cassette, if there is one.
fn recorded(job: &Job<'_>, secrets: &Redactor) -> Result<(Source, Option<Replay>), Box<Finding>> {
    let ToolSource::Cassette(cassette) = &job.case.world.tools else { return Ok((Source::Nothing, None)) };
    let tape = tape(job, cassette, secrets)?;
    let replay = Replay {
        cassette_path: tape.path().display().to_string(),
        cassette_sha256: tape.sha256().to_owned(),
        unused_lines: Vec::new(),
    };
    let mut run = job.secrets.borrow_mut();
    for entry in tape.entries() {
        run.learn(&entry.args);
        run.learn(&entry.result);
    }
    Ok((Source::Replay(RefCell::new(Player::new(Arc::new(tape)))), Some(replay)))
}

/// The answers of the tools themselves.
async fn executed(job: &Job<'_>, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Source, Box<Finding>> {
    let world = &job.case.world;
    let cassette = match &world.tools {
        ToolSource::Cassette(cassette) => Some(cassette),
        _ => None,
    };
    let recorder = match (job.options.mode, cassette) {
        (Mode::Record, Some(cassette)) => Some(RefCell::new(Recorder::new(&cassette.path))),
        (Mode::Record, None) if world.recording.is_none() && !records_routes(world) => {
            let message = "there is no `cassette` to record to";
            let finding = findings::plain(Cause::Config, message, Some(job.place(job.case.span)));
            return Err(Box::new(Finding { help: Some(findings::how_to_record("NAME")), ..finding }));
        }
        _ => None,
    };
    let toolbox = Box::pin(Toolbox::open(&world.live, job.options.tools, &world.executed(), lookup))
        .await
        .map_err(|error| Box::new(findings::toolbox(error, job.sources)))?;
    Ok(Source::Execute(Box::new(toolbox), recorder))
}

/// Whether the answers of tools over HTTP have a place to be written to.
fn records_routes(world: &World) -> bool {
    matches!(&world.tools, ToolSource::Routes(routes) if routes.record.is_some())
}

fn tape(job: &Job<'_>, cassette: &Cassette, secrets: &Redactor) -> Result<agentci_stubs::Tape, Box<Finding>> {
    let tape = agentci_stubs::Tape::load(job.options.files, &cassette.path, secrets);
    let tape = tape.map(|tape| match job.suite.habits.recorded_numbers {
        RecordedNumbers::AsWritten => tape.numbers_as_written(),
        RecordedNumbers::ByValue => tape,
    });
    tape.map_err(|error| {
        Box::new(Finding {
            label: "this recording".into(),
            help: Some(error.help().into()),
            ..findings::plain(Cause::Config, error.to_string(), Some(job.place(cassette.span)))
        })
    })
}
