//! The environment of the process: what suites may read of it, and which of its values are secret.

use agentci_trace::Redactor;

/// What must not be shown or stored: the values of environment variables whose names look secret.
pub fn environment_secrets() -> Redactor {
    Redactor::default().with_environment(environment_variables())
}

/// The environment as suites see it with `${ENV.NAME}`. Unless it is set, `AGENTCI` is the path of the running binary, so that a
/// suite can start it.
pub fn environment(name: &str) -> Option<String> {
    match std::env::var(name) {
        Ok(value) => Some(value),
        Err(_) if name == "AGENTCI" => {
            std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok())
        }
        Err(_) => None,
    }
}

/// The variables whose names and values are text.
pub(crate) fn environment_variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
