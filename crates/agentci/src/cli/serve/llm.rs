//! `agentci serve llm`: serves a scripted model for any program that calls a provider.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_model_script;
use agentci::mock_llm::{ModelServer, ModelServerOptions};
use agentci::plan::ModelScript;
use agentci::source::Sources;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Map, Value};

use super::{AddressArguments, block_on, not_served, signals};
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus};

/// The answer of a model without a script.
const NO_SCRIPT: &str = "Hello from agentci.";

/// Arguments of `agentci serve llm`.
#[derive(Debug, Args)]
pub(crate) struct LlmArguments {
    /// Model script [default: answer every request with a greeting]
    #[arg(value_name = "SCRIPT")]
    script: Option<PathBuf>,
    #[command(flatten)]
    address: AddressArguments,
    /// Seed for all random choices [default: the script's own]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Token required by `/__agentci/journal` and `/__agentci/reset` [default: random, printed with the address]
    #[arg(long, value_name = "TOKEN", value_parser = NonEmptyStringValueParser::new())]
    control_token: Option<String>,
}

pub(super) fn serve(arguments: &LlmArguments, context: &CliContext) -> CommandResult {
    let script = match &arguments.script {
        None => ModelScript { default: vec![NO_SCRIPT.into()], ..ModelScript::default() },
        Some(path) => model_script(path, context)?,
    };
    block_on(until_signal(script, arguments, context))
}

/// Reads a model script.
pub(in crate::cli) fn model_script(path: &Path, context: &CliContext) -> Result<ModelScript, CliError> {
    let mut sources = Sources::default();
    load_model_script(&DiskFiles, &mut sources, path).map_err(|problems| {
        context.show(&problems, &sources);
        CliError::told()
    })
}

async fn until_signal(script: ModelScript, arguments: &LlmArguments, context: &CliContext) -> CommandResult {
    let mut signals = signals()?;
    let AddressArguments { bind, port } = arguments.address;
    let control_token = arguments.control_token.clone().map_or_else(random_token, Ok).map_err(|error| {
        CliError::new(format!("cannot generate a control token: {error}"), "set one with `--control-token`")
    })?;
    let options = ModelServerOptions {
        bind,
        port,
        seed: arguments.seed,
        control_token: Some(control_token.clone()),
        ..ModelServerOptions::default()
    };
    let server = ModelServer::start(Arc::new(script), options).await.map_err(not_served)?;
    let mut address: Map<String, Value> =
        server.addresses().into_iter().map(|(name, address)| (name.to_owned(), address.into())).collect();
    address.insert("control_token".into(), control_token.into());
    let address = Value::Object(address);
    context.print(&format!("{address}\n"));
    signals.next().await;
    drop(server);
    Ok(ExitStatus::Success)
}

/// A random token.
fn random_token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        let _ = write!(token, "{byte:02x}");
        token
    }))
}
