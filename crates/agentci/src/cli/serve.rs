//! `agentci serve llm`: the scripted model by itself, for any program that speaks to a provider.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_model_script;
use agentci::plan::{ModelScript, Sources};
use agentci::stubs::{ModelServer, ServerOptions};
use agentci::verdict::ExitStatus;
use clap::{Args, Subcommand};
use serde_json::json;

use super::context::Context;

/// What a model without a script says.
const NO_SCRIPT: &str = "Hello from agentci.";

/// Arguments of `agentci serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A model that is a script, for OpenAI's and Anthropic's SDKs
    Llm(LlmArguments),
}

/// Arguments of `agentci serve llm`.
#[derive(Debug, Args)]
struct LlmArguments {
    /// The model's script; without it every request gets the same greeting
    #[arg(value_name = "SCRIPT")]
    script: Option<PathBuf>,
    /// The port; any that is free without it
    #[arg(long, value_name = "P", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// The address; only this machine can reach it without it
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", hide_default_value = true)]
    bind: IpAddr,
    /// What every draw depends on; the script's own without it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub(crate) fn serve(arguments: ServeArguments, context: &Context) -> ExitStatus {
    let What::Llm(arguments) = arguments.what;
    let script = match &arguments.script {
        None => ModelScript { default: vec![NO_SCRIPT.into()], ..ModelScript::default() },
        Some(path) => {
            let mut sources = Sources::default();
            match load_model_script(&DiskFiles, &mut sources, path) {
                Ok(script) => script,
                Err(problems) => {
                    context.show(&problems, &sources);
                    return ExitStatus::Failed;
                }
            }
        }
    };
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(until_signal(script, &arguments, context)),
        Err(error) => {
            context.complain(&format!("no runtime could be made: {error}"), None);
            ExitStatus::Failed
        }
    }
}

async fn until_signal(script: ModelScript, arguments: &LlmArguments, context: &Context) -> ExitStatus {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hang_up)) = signals else {
        context.complain("signals can not be waited for", None);
        return ExitStatus::Failed;
    };
    let options =
        ServerOptions { bind: arguments.bind, port: arguments.port, seed: arguments.seed, ..ServerOptions::default() };
    let server = match ModelServer::start(Arc::new(script), options).await {
        Ok(server) => server,
        Err(error) => {
            context.complain(&error.to_string(), Some("choose another with `--port` or `--bind`; 0 is any free port"));
            return ExitStatus::Failed;
        }
    };
    let address = json!({
        "url": server.url(),
        "openai_base_url": server.openai_url(),
        "anthropic_base_url": server.url(),
    });
    context.print(&format!("{address}\n"));
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    drop(server);
    ExitStatus::Success
}
