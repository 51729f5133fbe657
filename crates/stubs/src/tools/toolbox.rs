//! All tools of a case that are executed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{LiveTool, LiveTools, TOOL_TIMEOUT};
use agentci_process::ProcessCommand;
use agentci_source::{Span, Spanned, did_you_mean, print_duration, read};
use serde_json::Value;

use super::command::{self, LongLived, ToolCallError, fill_command};
use super::mcp::{LazyToolServer, ToolServers};
use super::{builtin, http::ToolEndpoint, module::Module};

/// A tool of the program that uses this library.
pub trait Tool: Send + Sync {
    /// The name under which agents call it.
    fn name(&self) -> &str;
    /// Runs the tool. It may block; the call times out after 30 seconds.
    fn call(&self, args: &Value) -> Result<Value, String>;
}

impl std::fmt::Debug for dyn Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tool({})", self.name())
    }
}

/// Tools that are ready to be called.
#[derive(Default)]
pub struct Toolbox {
    own: Vec<Arc<dyn Tool>>,
    /// By name, each with the place where it is defined.
    tools: BTreeMap<String, (ReadyTool, Span)>,
    module: Option<Module>,
    /// The MCP servers, shared by their tools.
    servers: ToolServers,
}

enum ReadyTool {
    Once(ProcessCommand, Duration),
    LongLived(Box<LongLived>),
    Http(ToolEndpoint),
    /// A server, the name of the tool there, and the timeout of a call.
    Mcp(Arc<LazyToolServer>, String, Duration),
}

/// Why tools cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolboxError {
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
    /// Where the suite names the tool.
    pub span: Option<Span>,
}

impl Toolbox {
    /// Prepares the tools, and checks that every tool that may be called has an implementation.
    pub async fn open(
        live: &LiveTools,
        own: &[Arc<dyn Tool>],
        names: &[Spanned<String>],
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ToolboxError> {
        let mut toolbox = Self { own: own.to_vec(), ..Self::default() };
        for (name, tool) in &live.tools {
            let ready = match tool {
                LiveTool::Command(tool) => fill_command(&tool.command, &tool.environment, lookup).map(|command| {
                    if tool.long_lived {
                        ReadyTool::LongLived(Box::new(LongLived::new(command, tool.timeout)))
                    } else {
                        ReadyTool::Once(command, tool.timeout)
                    }
                }),
                LiveTool::Http(tool) => ToolEndpoint::new(tool, lookup).map(ReadyTool::Http),
                LiveTool::Mcp(tool) => toolbox.servers.of(tool, lookup).map(|server| {
                    let called = tool.tool.clone().unwrap_or_else(|| name.value.clone());
                    ReadyTool::Mcp(server, called, tool.timeout)
                }),
            };
            let ready = ready.map_err(|unset| ToolboxError {
                message: format!("the tool `{}` cannot be used: {unset}", name.value),
                help: "set the variable, or give it a default: `${NAME:-default}`".into(),
                span: Some(name.span),
            })?;
            toolbox.tools.insert(name.value.clone(), (ready, name.span));
        }
        if let Some(module) = &live.module {
            let opened = Module::open(&module.value, &live.folder).await.map_err(|message| ToolboxError {
                message,
                help: "Python imports the module from the suite's folder or the current folder".into(),
                span: Some(module.span),
            })?;
            toolbox.module = Some(opened);
        }
        if let Some(missing) = names.iter().find(|name| !toolbox.has(&name.value)) {
            let error = toolbox.unresolved(&missing.value, Some(missing.span));
            toolbox.close().await;
            return Err(error);
        }
        Ok(toolbox)
    }

    fn has(&self, name: &str) -> bool {
        self.own.iter().any(|tool| tool.name() == name)
            || self.tools.contains_key(name)
            || self.module.as_ref().is_some_and(|module| module.names.iter().any(|known| known == name))
            || builtin::NAMES.contains(&name)
    }

    /// The error for a name without a tool. Without a place of its own, it points at the tool with the most similar
    /// name.
    fn unresolved(&self, name: &str, span: Option<Span>) -> ToolboxError {
        let module = self.module.iter().flat_map(|module| module.names.iter().map(String::as_str));
        let mut known: Vec<&str> = self.tools.keys().map(String::as_str).chain(module).collect();
        known.extend(self.own.iter().map(|tool| tool.name()));
        let meant = did_you_mean(name, known.iter().copied());
        let span = span.or_else(|| self.tools.get(meant?).map(|(_, span)| *span));
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => format!(
                "add `{name}: {{ command: [..] }}` under `tools`, or under `world.tools.live` in `agentci.yaml`"
            ),
            None => format!("tools that can be executed are {}", read::quoted_list(&known)),
        };
        ToolboxError { message: format!("the tool `{name}` has no implementation"), help, span }
    }

    /// Calls a tool. The inner result is its answer: a result, or its error message. The outer error is a tool that
    /// does not exist or cannot be started.
    pub async fn call(&self, call_id: &str, name: &str, args: &Value) -> Result<Result<Value, String>, ToolboxError> {
        if let Some(tool) = self.own.iter().find(|tool| tool.name() == name) {
            return Ok(in_process(Arc::clone(tool), args.clone()).await);
        }
        let known = self.tools.get(name);
        let result = match (known.map(|(ready, _)| ready), &self.module) {
            (Some(ReadyTool::Once(command, limit)), _) => command::once(command, args, *limit).await,
            (Some(ReadyTool::LongLived(tool)), _) => tool.call(call_id, name, args).await,
            (Some(ReadyTool::Http(endpoint)), _) => endpoint.call(args).await.map_err(ToolCallError::Failed),
            (Some(ReadyTool::Mcp(server, tool, limit)), _) => server.call(tool, args, *limit).await,
            (None, Some(module)) if module.names.iter().any(|known| known == name) => module.call(name, args).await,
            (None, _) if builtin::NAMES.contains(&name) => Ok(builtin::search_docs(args)),
            (None, _) => return Err(self.unresolved(name, None)),
        };
        match result {
            Ok(result) => Ok(Ok(result)),
            Err(ToolCallError::Failed(words)) => Ok(Err(words)),
            Err(ToolCallError::NotStarted(why)) => Err(ToolboxError {
                message: format!("the tool `{name}` cannot be started: {why}"),
                help: "fix its command: it runs in the current folder; a script may need `chmod +x`".into(),
                span: known.map(|(_, span)| *span),
            }),
        }
    }

    /// Ends all processes started for tools.
    pub async fn close(self) {
        for (ready, _) in self.tools.into_values() {
            if let ReadyTool::LongLived(tool) = ready {
                tool.close().await;
            }
        }
        if let Some(module) = self.module {
            module.close().await;
        }
        self.servers.close().await;
    }
}

async fn in_process(tool: Arc<dyn Tool>, args: Value) -> Result<Value, String> {
    let work = tokio::task::spawn_blocking(move || tool.call(&args));
    match tokio::time::timeout(TOOL_TIMEOUT, work).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err("the tool panicked".into()),
        Err(_) => Err(format!("no answer within {}", print_duration(TOOL_TIMEOUT))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// A tool that blocks until the test releases it.
    struct Busy(Mutex<Receiver<()>>);

    impl Tool for Busy {
        fn name(&self) -> &'static str {
            "busy"
        }

        fn call(&self, _: &Value) -> Result<Value, String> {
            let _ = self.0.lock().unwrap().recv();
            Ok(Value::Null)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn in_process_tool_times_out() {
        let (let_go, wait) = channel();
        let calls = tokio::spawn(in_process(Arc::new(Busy(Mutex::new(wait))), Value::Null));
        tokio::task::yield_now().await;
        tokio::time::advance(TOOL_TIMEOUT).await;
        assert_eq!(calls.await.unwrap(), Err("no answer within 30s".into()));
        drop(let_go);
    }
}
