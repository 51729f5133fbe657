//! `agentci recording drift`: repeats recorded calls against the live world, and reports changed answers.
//!
//! ```text
//! $ agentci recording drift recordings/agent.jsonl
//! recordings/agent.jsonl: 2 of 3 calls can be repeated
//!   api.openai.com: 2 calls, about $0.0090, `authorization` from OPENAI_API_KEY
//! not repeated: call 2 POST https://shop.example/refunds (may change something; `--include-writes` asks it, too)
//! repeat them now? [y/N] y
//! call 1 POST https://api.openai.com/v1/responses: /output/*/content is gone, /output/*/parts is new (recording it ..)
//! 2 calls were repeated, for about $0.0090: 1 changed
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use agentci::source::parse_duration;
use agentci_recorder::{Drift, Exchange, IdMapping, KnownShapes, LiveAnswer, LiveWorld, Recording, RepeatPolicy};
use clap::Args;

use super::keys::{HostHeader, KeySource, host_header};
use super::live_calls::{CallCost, DriftPlan, consent, total};
use crate::cli::record::RecordBudget;
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, counted, recorded, runtime};

/// How many changes of one answer are shown.
const MOST_TOLD: usize = 10;

/// Arguments of `agentci recording drift`.
#[derive(Debug, Args)]
pub(crate) struct DriftArguments {
    /// Recording to compare with the live services
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Call only this host; `*` matches any characters (may be repeated)
    #[arg(long, value_name = "HOST")]
    only: Vec<String>,
    /// Send a header to a host: `HOST: NAME: VALUE`, where `$VAR` is an environment variable (may be repeated)
    #[arg(long, value_name = "HEADER", value_parser = host_header)]
    header: Vec<HostHeader>,
    /// Also repeat requests that may have side effects: all but `GET`, `HEAD` and model calls
    #[arg(long)]
    include_writes: bool,
    /// Replace recorded responses that changed
    #[arg(long)]
    update: bool,
    /// Skip confirmation prompts, and run even if `CI` is set
    #[arg(long)]
    yes: bool,
    /// Timeout per call
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "2m")]
    timeout: Duration,
    /// JSON file of model prices in US dollars per million tokens; overrides the built-in prices
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

/// The result of repeating one call.
struct DriftAnswer<'r> {
    exchange: &'r Exchange,
    drift: Drift,
    /// The cost of repeating it.
    cost: CallCost,
    /// The call with its new answer, if `--update` is set.
    today: Option<Exchange>,
}

pub(super) fn drift(arguments: &DriftArguments, context: &CliContext) -> CommandResult {
    let file = arguments.file.display().to_string();
    let recording = recorded::read(&arguments.file)?;
    let budget = RecordBudget::new(None, arguments.prices.as_deref())?;
    let mut keys = KeySource::new(&arguments.header)?;
    let what = RepeatPolicy { only: arguments.only.clone(), writes: arguments.include_writes };
    let plan = DriftPlan::of(&recording, &what, &mut keys);
    context.say(&keys.secrets().text(&plan.text(&file, &budget)));
    if plan.asked.is_empty() {
        let help = "see the reasons above; only calls that can be repeated are compared";
        return Err(CliError::new(format!("no call in `{file}` can be repeated"), help));
    }
    if !consent("repeat them now?", arguments.yes, context)? {
        context.say("no calls were made\n");
        return Ok(ExitStatus::Failed);
    }
    let live = LiveWorld::new(recorded::own_authorities().as_deref(), &recorded::environment(), arguments.timeout);
    let live =
        live.map_err(|error| CliError::new(error, "check the files in `SSL_CERT_FILE` and similar variables"))?;
    let runtime = runtime()?;
    let known = KnownShapes::of(&recording);
    let mut ids = IdMapping::default();
    let mut asked = Vec::new();
    for (exchange, sent) in &plan.asked {
        let answer = runtime.block_on(live.repeat(&ids.continued(&exchange.request), &sent.headers));
        let one = match answer {
            Ok(LiveAnswer { response, end }) => {
                let drift = known.drift(exchange, &response);
                ids.learn(exchange, &response);
                let today = Exchange { response: Some(response), end, ..(*exchange).clone() };
                let cost = CallCost::of(&today, &budget);
                DriftAnswer { exchange, drift, cost, today: arguments.update.then_some(today) }
            }
            Err(why) => DriftAnswer { exchange, drift: Drift::Unknown(why), cost: CallCost::Nothing, today: None },
        };
        context.print(&one.text(&budget).map_or_else(String::new, |text| keys.secrets().text(&text).into_owned()));
        asked.push(one);
    }
    context.print(&summary(&asked, plan.without_key));
    let changed = asked.iter().filter(|asked| asked.has_changed()).count();
    let missing = plan.without_key > 0 || asked.iter().any(|asked| matches!(asked.drift, Drift::Unknown(_)));
    let replaced = if arguments.update && changed > 0 {
        update(&arguments.file, &recording, &asked, &keys, arguments.yes, context)?
    } else {
        0
    };
    Ok(if replaced == changed && !missing { ExitStatus::Success } else { ExitStatus::Failed })
}

impl DriftAnswer<'_> {
    fn has_changed(&self) -> bool {
        matches!(&self.drift, Drift::Changes(changes) if !changes.is_empty())
    }

    /// The line about it; `None` if nothing changed.
    fn text(&self, budget: &RecordBudget) -> Option<String> {
        let named = self.exchange.named();
        match &self.drift {
            Drift::Unknown(why) => Some(format!("{named}: not compared: {}\n", agentci::report::one_line(why))),
            Drift::Changes(changes) if changes.is_empty() => None,
            Drift::Changes(changes) => {
                let mut told: Vec<String> = changes.iter().take(MOST_TOLD).map(ToString::to_string).collect();
                if let Some(more) = changes.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
                    told.push(format!("and {}", counted(more, "more change", "more changes")));
                }
                let cost = CallCost::of(self.exchange, budget).told();
                Some(format!("{named}: {} ({cost})\n", told.join(", ")))
            }
        }
    }

    /// The call with its new answer, if it changed and `--update` is set.
    fn changed(&self) -> Option<&Exchange> {
        self.today.as_ref().filter(|_| self.has_changed())
    }
}

fn summary(asked: &[DriftAnswer<'_>], without_key: usize) -> String {
    let spent = total(asked.iter().map(|asked| asked.cost.clone()));
    let spent = spent.map(|spent| format!(", for {spent}")).unwrap_or_default();
    let changed = asked.iter().filter(|asked| asked.has_changed()).count();
    let unknown = without_key + asked.iter().filter(|asked| matches!(asked.drift, Drift::Unknown(_))).count();
    let changed = match changed {
        0 => "none changed".to_owned(),
        1 => "1 changed".to_owned(),
        count => format!("{count} changed"),
    };
    let unknown = match unknown {
        0 => String::new(),
        count => format!(", {} not compared", counted(count, "was", "were")),
    };
    let calls = counted(asked.len(), "call was", "calls were");
    format!("{calls} repeated{spent}: {changed}{unknown}\n")
}

/// Replaces changed answers, and returns their number.
fn update(
    path: &Path,
    recording: &Recording,
    asked: &[DriftAnswer<'_>],
    keys: &KeySource,
    yes: bool,
    context: &CliContext,
) -> Result<usize, CliError> {
    let file = path.display();
    let mut updated = recording.clone();
    let mut replaced = Vec::new();
    for today in asked.iter().filter_map(DriftAnswer::changed) {
        if today.response.as_ref().is_some_and(|response| response.status >= 400) {
            context.say(&format!("call {} keeps its recorded answer: the new one is an error\n", today.id));
            continue;
        }
        if let Some(old) = updated.exchanges.iter_mut().find(|old| old.id == today.id) {
            replaced.push(today.id);
            old.clone_from(today);
        }
    }
    if replaced.is_empty() {
        return Ok(0);
    }
    let answers = counted(replaced.len(), "answer", "answers");
    let question = format!("replace {answers} in {file} with the new ones, at no further cost?");
    if !consent(&question, yes, context)? {
        context.say("nothing was replaced\n");
        return Ok(0);
    }
    unchanged_since(path, recording)?;
    recorded::write(path, &updated, keys.secrets())?;
    let calls: Vec<String> = replaced.iter().map(ToString::to_string).collect();
    context.say(&format!("replaced {answers} in {file}: call {}\n", calls.join(", ")));
    let first = replaced.first().copied().expect("an answer was replaced");
    if updated.exchanges.iter().any(|exchange| exchange.id > first && !exchange.chatter) {
        context.say(&format!(
            "later calls followed the old answers: `agentci replay {file}` shows whether they still match, and \
             `agentci record --update` records those that do not\n"
        ));
    }
    Ok(replaced.len())
}

/// Refuses to overwrite a recording that has changed in the meantime.
fn unchanged_since(path: &Path, recording: &Recording) -> Result<(), CliError> {
    if recorded::read(path)? == *recording {
        return Ok(());
    }
    let message = format!("`{}` has changed since it was read, so nothing was replaced", path.display());
    Err(CliError::new(message, "run the command again"))
}
