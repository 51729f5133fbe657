//! The assistant runtime of Yao: what it adds to prompts and a model.
//!
//! ```text
//! messages ─▶ create: `Create` changes the request ─▶ Opening ─▶ prompts: `$SYS.`, `$ENV.` and `$CTX.` filled in
//! the model's answer ─▶ next: `Next` makes the result of it, or delegates ─▶ NextStep
//! ```
//!
//! The input is the target's context mapping and its [`Assistant`](agentci_plan::Assistant) data, which nothing else
//! reads.

mod calendar;
mod context;
mod create_hook;
mod delegates;
mod hooks;
mod next_hook;
mod prompts;
mod runtime;
mod variables;

pub(super) use create_hook::Opening;
pub(super) use delegates::{DELEGATIONS, Delegates};
pub(super) use next_hook::NextStep;
pub(super) use runtime::AssistantRuntime;
