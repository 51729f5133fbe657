//! The parameters of a request, as they are recorded.

use agentci_verdict::PromptParameters;
use serde_json::Value;

use super::print::FingerprintMaker;

/// The maximum size of parameters that are kept in full.
const PARAMETERS: usize = 16 * 1024;

/// The recorded form of the parameters, and their id within the run.
pub(super) fn kept(values: &Value, printer: &FingerprintMaker<'_>) -> (PromptParameters, String) {
    let clean = printer.secrets.clean(values);
    let print = printer.value(&clean);
    let id = print.id();
    let short = print.shown.as_object().filter(|_| print.shown.to_string().len() <= PARAMETERS);
    let values = short.map(|all| all.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    (PromptParameters { hash: print.hash, times: print.times, values }, id)
}
