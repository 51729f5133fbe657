//! The real binary, from the command line to the files it leaves.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod embeddings;
mod filter;
mod http_agent;
mod http_server;
mod processes;
mod ran;
mod suite;

mod a2a;
mod agent_breaks_protocol;
mod agent_leaves;
mod agent_stalls;
mod ananke;
mod artifacts;
mod assistants;
mod aumai;
mod baselines;
mod budgets;
mod check_command;
mod checks;
mod console;
mod conversations;
mod convert;
mod descendants;
mod docs;
mod errors;
mod faults;
mod flags;
mod golden;
mod hooks;
mod http_target;
mod killed;
mod model_world;
mod numbers;
mod recording;
mod redaction;
mod replay;
mod reports;
mod scenario_files;
mod scenario_results;
mod scenario_run;
mod scripts;
mod select;
mod semantic;
mod serve_llm;
mod serve_tools;
mod shards;
mod signals;
mod stability;
mod yaml;
mod yao;
mod yao_assertions;
mod yao_results;
