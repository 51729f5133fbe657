//! The environment of the process: the variables that suites can read, and the values that are secret.

use agentci_trace::Redactor;

/// A redactor for values that must not be shown or stored: those of environment variables whose names look secret.
pub fn environment_secrets() -> Redactor {
    Redactor::default().with_environment(environment_variables())
}

/// The environment variable that a suite reads with `${ENV.NAME}`. `AGENTCI` defaults to the path of the running
/// binary, so that a suite can start it.
pub fn environment(name: &str) -> Option<String> {
    match std::env::var(name) {
        Ok(value) => Some(value),
        Err(_) if name == "AGENTCI" => {
            std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok())
        }
        Err(_) => None,
    }
}

/// The variables whose names and values are valid UTF-8.
pub(crate) fn environment_variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
