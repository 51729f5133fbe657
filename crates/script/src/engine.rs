//! The engine of one thread: calls each function in a fresh context.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rquickjs::context::EvalOptions;
use rquickjs::function::Args;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Error, Function, Object, Runtime, Value};

use crate::code::{NAME, ReadyCode};
use crate::exception::thrown;
use crate::{CallLimits, ScriptError};

/// The size of the engine's stack in bytes, which limits recursion.
const STACK: usize = 1024 * 1024;
/// The longest JSON that a function may return, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// The globals of every file: a console that prints nothing.
const SURROUNDINGS: &str = r"globalThis.console = Object.fromEntries(
    ['assert', 'debug', 'dir', 'error', 'group', 'groupEnd', 'info', 'log', 'table', 'time', 'timeEnd', 'trace', 'warn']
        .map((name) => [name, () => undefined]));";

/// The engine of one thread. It must be dropped after a call exceeded a limit.
pub(crate) struct Engine {
    runtime: Runtime,
    watch: Rc<CallClock>,
}

/// The deadline of a call.
#[derive(Default)]
struct CallClock {
    deadline: Cell<Option<Instant>>,
    late: Cell<bool>,
}

/// A call of a function of a file.
pub(crate) struct FunctionRun {
    pub(crate) code: Arc<ReadyCode>,
    pub(crate) function: String,
    /// Each argument as JSON.
    pub(crate) arguments: Vec<String>,
    pub(crate) limits: CallLimits,
}

impl CallClock {
    /// Starts the clock of a call.
    fn begin(&self, limits: &CallLimits) {
        self.late.set(false);
        self.deadline.set(Instant::now().checked_add(limits.time));
    }

    /// Whether the deadline has passed; stays true once it has.
    fn is_late(&self) -> bool {
        let late = self.late.get() || self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        self.late.set(late);
        late
    }
}

/// Compiles the code without running any of it.
pub(crate) fn compile(code: &ReadyCode) -> Result<(), ScriptError> {
    let engine = Engine::new()?;
    let context = Context::full(&engine.runtime).map_err(|error| broken(&error))?;
    context.with(|ctx| {
        let made = factory(&ctx, code);
        made.map(|_| ()).map_err(|error| match thrown(&ctx, error, code, 0) {
            ScriptError::Thrown { message, place } => {
                let (line, column) = place.unwrap_or((1, 1));
                ScriptError::Syntax { line, column, message }
            }
            ScriptError::TooMuchMemory(_) => ScriptError::Engine("the file is too large".into()),
            other => other,
        })
    })
}

impl Engine {
    pub(crate) fn new() -> Result<Self, ScriptError> {
        let runtime = Runtime::new().map_err(|error| broken(&error))?;
        runtime.set_max_stack_size(STACK);
        let watch = Rc::new(CallClock::default());
        let watched = Rc::clone(&watch);
        runtime.set_interrupt_handler(Some(Box::new(move || watched.is_late())));
        Ok(Self { runtime, watch })
    }

    /// Whether jobs of earlier calls are left that would run in later ones.
    pub(crate) fn is_spent(&self) -> bool {
        self.runtime.is_job_pending()
    }

    /// Calls a function in a fresh context; returns its result as JSON.
    pub(crate) fn call(&self, call: &FunctionRun) -> Result<String, ScriptError> {
        self.runtime.set_memory_limit(call.limits.memory);
        self.watch.begin(&call.limits);
        let context = Context::full(&self.runtime).map_err(|error| broken(&error))?;
        context.with(|ctx| self.call_in(&ctx, call))
    }

    fn call_in(&self, ctx: &Ctx<'_>, call: &FunctionRun) -> Result<String, ScriptError> {
        let FunctionRun { code, function, arguments, limits } = call;
        let trouble = |error: Error| {
            // Reading the thrown value runs code as well and may take long.
            let trouble = thrown(ctx, error, code, limits.memory);
            if self.watch.is_late() { ScriptError::TooLong(limits.time) } else { trouble }
        };
        let module = Object::new(ctx.clone()).map_err(trouble)?;
        let exports = Object::new(ctx.clone()).map_err(trouble)?;
        module.set("exports", exports.clone()).map_err(trouble)?;
        ctx.eval::<(), _>(SURROUNDINGS).map_err(trouble)?;
        let made = factory(ctx, code).and_then(|made| made.call((module, exports))).map_err(trouble)?;
        let functions = self.settled(ctx, made, limits)?.map_err(trouble)?;
        let found = functions.as_object().map(|functions| functions.get::<_, Value<'_>>(function.as_str()));
        let found = found.transpose().map_err(trouble)?.and_then(Value::into_function);
        let Some(found) = found else {
            return Err(ScriptError::NoFunction { function: function.clone(), known: code.functions.clone() });
        };
        let mut given = Args::new(ctx.clone(), arguments.len());
        for argument in arguments {
            let argument = ctx.json_parse(argument.as_str()).map_err(trouble)?;
            given.push_arg(argument).map_err(trouble)?;
        }
        let returned = found.call_arg::<Value<'_>>(given).map_err(trouble)?;
        let returned = self.settled(ctx, returned, limits)?.map_err(trouble)?;
        self.json(ctx, returned, trouble)
    }

    /// The value that a promise resolves to, or the value itself.
    fn settled<'js>(
        &self,
        ctx: &Ctx<'js>,
        value: Value<'js>,
        limits: &CallLimits,
    ) -> Result<Result<Value<'js>, Error>, ScriptError> {
        let Some(promise) = value.as_promise() else { return Ok(Ok(value)) };
        while promise.state() == PromiseState::Pending {
            let worked = ctx.execute_pending_job();
            if self.watch.is_late() {
                return Err(ScriptError::TooLong(limits.time));
            }
            if !worked {
                return Err(ScriptError::Thrown { message: NEVER.into(), place: None });
            }
        }
        Ok(promise.result().unwrap_or(Err(Error::WouldBlock)))
    }

    fn json<'js>(
        &self,
        ctx: &Ctx<'js>,
        value: Value<'js>,
        trouble: impl Fn(Error) -> ScriptError,
    ) -> Result<String, ScriptError> {
        if value.is_undefined() {
            return Ok("null".into());
        }
        let kind = kind(&value);
        let text = match ctx.json_stringify(value) {
            Ok(Some(text)) => text.to_string().map_err(&trouble)?,
            Ok(None) => return Err(ScriptError::NotJson(kind.into())),
            Err(error) => {
                return Err(match trouble(error) {
                    ScriptError::Thrown { message, .. } => ScriptError::NotJson(format!("{kind} ({message})")),
                    other => other,
                });
            }
        };
        if text.len() > LONGEST {
            return Err(ScriptError::NotJson(format!("more than {} MB", LONGEST / (1024 * 1024))));
        }
        if self.watch.is_late() { Err(trouble(Error::WouldBlock)) } else { Ok(text) }
    }
}

const NEVER: &str = "its promise never settles: nothing is left to wait for (there are no timers and no network)";

fn factory<'js>(ctx: &Ctx<'js>, code: &ReadyCode) -> Result<Function<'js>, Error> {
    let mut options = EvalOptions::default();
    options.filename = Some(NAME.into());
    ctx.eval_with_options(code.text.as_str(), options)
}

fn broken(error: &Error) -> ScriptError {
    ScriptError::Engine(error.to_string())
}

/// The name of a value that cannot be represented as JSON.
fn kind(value: &Value<'_>) -> &'static str {
    match value {
        value if value.is_function() => "a function",
        value if value.is_symbol() => "a symbol",
        value if value.is_big_int() => "a BigInt",
        _ => "an object",
    }
}
