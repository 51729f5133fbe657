//! A scripted agent for tests of the runner, behind the feature `testing` that no shipped build has.
//!
//! A test says with [`script`] what the agent of a case does. The runner then opens this agent in place of the one that the
//! target of the case describes, whatever kind it is; only mocks stay what they are. What was opened, asked and closed is
//! written down in order, see [`effects`]. Everything belongs to the thread of the test, so that tests can run beside each other.

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

/// One thing that the agent does in a turn.
pub enum ScriptedStep {
    /// It does something that the trace shows.
    Show(EventKind),
    /// It calls a tool of this name with these arguments and waits for the answer.
    Call(String, Value),
    /// It takes this long.
    Wait(Duration),
    /// It never goes on.
    Hang,
    /// It cannot go on.
    Fail(DriveError),
    /// It gets hold of a secret, such as an access token.
    Fetch(String),
    /// It sends this and is answered this, which a recording keeps. In a replay the recorded answer is what it says.
    Exchange(Value, Value),
    /// Something happens outside.
    Meanwhile(Box<dyn FnOnce()>),
}

impl ScriptedStep {
    /// It says something.
    pub fn say(text: &str) -> Self {
        ScriptedStep::Show(EventKind::Text(text.to_owned()))
    }

    /// It has a result.
    pub fn result(value: Value) -> Self {
        ScriptedStep::Show(EventKind::FinalOutput(Arc::new(value)))
    }

    /// It calls a tool of this name.
    pub fn call(name: &str, args: Value) -> Self {
        ScriptedStep::Call(name.to_owned(), args)
    }
}

/// What the agent does from when it is opened until it is closed.
#[derive(Default)]
pub struct FakeScript {
    /// Why it cannot be reached.
    pub unreachable: Option<DriveError>,
    /// What it does in each turn; nothing in those that are not listed.
    pub turns: Vec<Vec<ScriptedStep>>,
    /// What it printed, as is known when it is closed.
    pub printed: Vec<String>,
    /// What happens when it is closed.
    pub closing: Option<Box<dyn FnOnce()>>,
}

impl FakeScript {
    /// An agent that does this in its turns.
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

/// Says what the agent of a case does, each time it is opened; the argument is the number of the attempt.
pub fn script(case_id: &str, script: impl FnMut(u32) -> FakeScript + 'static) {
    SCRIPTS.with_borrow_mut(|scripts| scripts.insert(case_id.to_owned(), Rc::new(RefCell::new(script))));
}

/// Writes down that something happened.
pub fn note(effect: impl Into<String>) {
    EFFECTS.with_borrow_mut(|effects| effects.push(effect.into()));
}

/// Everything that happened so far, which is forgotten then.
pub fn effects() -> Vec<String> {
    EFFECTS.take()
}

/// What the agent that was opened last was given in its environment under this name.
pub fn given(name: &str) -> Option<String> {
    GIVEN.with_borrow(|given| given.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
}

/// Whether a scripted agent takes the place of the target.
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
