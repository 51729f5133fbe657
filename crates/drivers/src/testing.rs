//! A scripted agent for tests of the runner, behind the feature `testing`, which is off in releases.
//!
//! A test sets the behaviour of a case's agent with [`script`]. The runner then opens this agent in place of the case's
//! target, unless that is a mock. [`effects`] lists what was opened, asked and closed, in order. All state is local to
//! the thread of the test, so that tests can run in parallel.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_exchange::AgentLine;
use agentci_plan::Target;
use agentci_process::Ending;
use agentci_trace::{EventKind, ToolCall};
use agentci_wire::FetchedSecrets;
use serde_json::Value;

use crate::observer::SeenEvents;
use crate::{Delivery, DriveError, DriveResult, DriverContext, Input, ToolHost, TraceSink};

/// A step of the agent in a turn.
pub enum ScriptedStep {
    /// It emits a trace event.
    Show(EventKind),
    /// It calls a tool with these arguments and waits for the result.
    Call(String, Value),
    /// It waits this long.
    Wait(Duration),
    /// It never continues.
    Hang,
    Fail(DriveError),
    /// It fetches a secret, such as an access token.
    Fetch(String),
    /// It sends the first value and is answered with the second, which is recorded. In a replay it outputs the recorded
    /// answer.
    Exchange(Value, Value),
    /// Runs a function of the test.
    Meanwhile(Box<dyn FnOnce()>),
}

impl ScriptedStep {
    /// It outputs text.
    pub fn say(text: &str) -> Self {
        ScriptedStep::Show(EventKind::Text(text.to_owned()))
    }

    /// It outputs its result.
    pub fn result(value: Value) -> Self {
        ScriptedStep::Show(EventKind::FinalOutput(Arc::new(value)))
    }

    /// It calls a tool.
    pub fn call(name: &str, args: Value) -> Self {
        ScriptedStep::Call(name.to_owned(), args)
    }
}

/// The behaviour of the agent from open to close.
#[derive(Default)]
pub struct FakeScript {
    /// The error if it cannot be reached.
    pub unreachable: Option<DriveError>,
    /// The steps of each turn; further turns have none.
    pub turns: Vec<Vec<ScriptedStep>>,
    /// Its standard error, which is returned on close.
    pub printed: Vec<String>,
    /// Runs on close.
    pub closing: Option<Box<dyn FnOnce()>>,
}

impl FakeScript {
    /// An agent with these turns.
    pub fn turns(turns: impl IntoIterator<Item = Vec<ScriptedStep>>) -> Self {
        Self { turns: turns.into_iter().collect(), ..Self::default() }
    }

    /// An agent that cannot be reached.
    pub fn unreachable(error: DriveError) -> Self {
        Self { unreachable: Some(error), ..Self::default() }
    }
}

type FakeScripts = HashMap<String, Rc<RefCell<dyn FnMut(u32) -> FakeScript>>>;

thread_local! {
    static SCRIPTS: RefCell<FakeScripts> = RefCell::default();
    static EFFECTS: RefCell<Vec<String>> = RefCell::default();
    static GIVEN: RefCell<Vec<(String, String)>> = RefCell::default();
}

/// Sets the behaviour of a case's agent. The function is called each time it is opened, with the number of the attempt.
pub fn script(case_id: &str, script: impl FnMut(u32) -> FakeScript + 'static) {
    SCRIPTS.with_borrow_mut(|scripts| scripts.insert(case_id.to_owned(), Rc::new(RefCell::new(script))));
}

/// Records an effect.
pub fn note(effect: impl Into<String>) {
    EFFECTS.with_borrow_mut(|effects| effects.push(effect.into()));
}

/// Takes all effects so far.
pub fn effects() -> Vec<String> {
    EFFECTS.take()
}

/// The value of this variable in the environment of the agent that was opened last.
pub fn given(name: &str) -> Option<String> {
    GIVEN.with_borrow(|given| given.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
}

/// Whether a scripted agent replaces the target.
pub(crate) fn stands_in(target: &Target, context: &DriverContext<'_>) -> bool {
    !matches!(target, Target::Mock(_)) && SCRIPTS.with_borrow(|scripts| scripts.contains_key(context.case_id))
}

/// A scripted agent.
pub(crate) struct FakeDriver {
    name: String,
    script: FakeScript,
    pub(crate) line: AgentLine,
    fetched: FetchedSecrets,
    pub(crate) seen: SeenEvents,
    calls: usize,
    taken: usize,
}

impl FakeDriver {
    pub(crate) fn open(context: &DriverContext<'_>, line: AgentLine) -> DriveResult<Self> {
        let name = format!("{}/{}", context.case_id, context.attempt);
        note(format!("open {name}"));
        GIVEN.set(context.environment.to_vec());
        let script = SCRIPTS.with_borrow(|scripts| scripts.get(context.case_id).cloned());
        let script = script.map(|script| script.borrow_mut()(context.attempt)).unwrap_or_default();
        if let Some(error) = script.unreachable {
            return Err(error);
        }
        let (fetched, seen) = (context.fetched.clone(), SeenEvents::default());
        Ok(Self { name, script, line, fetched, seen, calls: 0, taken: 0 })
    }

    pub(crate) async fn turn(&mut self, input: &Input, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        note(format!("turn {} of {}", self.taken, self.name));
        let steps = self.script.turns.get_mut(self.taken).map(std::mem::take);
        self.taken += 1;
        sink.push(EventKind::TurnStart(input.value()))?;
        for step in steps.unwrap_or_default() {
            self.take(step, sink, host).await?;
            self.seen.take_all(sink)?;
        }
        sink.push(EventKind::TurnEnd)?;
        Ok(())
    }

    async fn take(&mut self, step: ScriptedStep, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        match step {
            ScriptedStep::Show(kind) => sink.push(kind)?,
            ScriptedStep::Call(name, args) => self.call(name, args, sink, host).await?,
            ScriptedStep::Wait(time) => tokio::time::sleep(time).await,
            ScriptedStep::Hang => std::future::pending().await,
            ScriptedStep::Fail(error) => return Err(error),
            ScriptedStep::Fetch(secret) => self.fetched.add(&secret),
            ScriptedStep::Exchange(sent, answer) => self.exchange(&sent, &answer, sink)?,
            ScriptedStep::Meanwhile(happens) => happens(),
        }
        Ok(())
    }

    async fn call(&mut self, name: String, args: Value, sink: &mut TraceSink<'_>, host: &dyn ToolHost) -> DriveResult {
        self.calls += 1;
        let (call_id, args) = (format!("c{}", self.calls), Arc::new(args));
        let call = ToolCall { call_id, name, args, ..ToolCall::default() };
        sink.push(EventKind::ToolCall(call.clone()))?;
        let reply = host.call(&call).await?;
        sink.push(EventKind::ToolResult(reply.result))?;
        if reply.delivery == Delivery::Never {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    fn exchange(&mut self, sent: &Value, answer: &Value, sink: &mut TraceSink<'_>) -> DriveResult {
        let clock = sink.clock();
        if let Some(recalled) = self.line.recall(sent, clock) {
            let (body, at) = recalled?;
            sink.push_at(at, EventKind::Text(String::from_utf8_lossy(&body).into_owned()))?;
            return Ok(());
        }
        let at = self.line.next(clock);
        if let Some(slot) = self.line.note(sent, clock, at) {
            slot.answered(at, answer.to_string());
        }
        sink.push_at(at, EventKind::Text(answer.to_string()))?;
        Ok(())
    }

    pub(crate) fn close(self) -> Ending {
        note(format!("close {}", self.name));
        if let Some(happens) = self.script.closing {
            happens();
        }
        Ending { exit: None, stderr_tail: self.script.printed }
    }
}

impl fmt::Debug for FakeDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeDriver").field("name", &self.name).finish_non_exhaustive()
    }
}
