//! The variables that route an agent to the proxy.

use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Variables that name a file with all certificates that a client trusts.
pub(super) const BUNDLE_VARIABLES: &[&str] = &[
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "CODEX_CA_CERTIFICATE",
    "HTTPLIB2_CA_CERTS",
    // For npm, a variable takes precedence over `cafile` in its own files; both spellings are in use.
    "NPM_CONFIG_CAFILE",
    "npm_config_cafile",
];

const PROXY_VARIABLES: &[&str] = &["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
/// Variables that would make a client bypass the proxy.
const EMPTIED_VARIABLES: &[&str] = &["NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"];

/// The environment that the agent would have without the recorder.
#[derive(Debug)]
pub(super) struct OuterEnvironment<'a>(HashMap<&'a str, &'a str>);

impl<'a> OuterEnvironment<'a> {
    pub(super) fn new(variables: &'a [(String, String)]) -> Self {
        Self(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect())
    }

    /// The value of a variable. An empty value counts as unset, as in the programs that read these variables.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied().filter(|value| !value.is_empty())
    }

    /// The value of a variable as one path.
    pub(super) fn whole_path(&self, name: &str) -> Option<&'a Path> {
        self.value(name).map(Path::new)
    }

    /// The value of a variable as a list of paths.
    pub(super) fn paths(&self, name: &str) -> Vec<&'a Path> {
        self.value(name)
            .into_iter()
            .flat_map(|value| value.split(':'))
            .filter(|path| !path.is_empty())
            .map(Path::new)
            .collect()
    }
}

/// The certificate of our own authority, in the folder of a session.
pub(super) const AUTHORITY: &str = "ca.pem";
/// All trusted certificates.
pub(super) const BUNDLE: &str = "bundle.pem";
/// The certificates that Node trusts besides its own roots.
pub(super) const NODE_CERTIFICATES: &str = "node.pem";
pub(super) const NODE_HOOK: &str = "hook.cjs";
/// The folder with the hook for Python.
pub(super) const PYTHON: &str = "python";
/// An empty folder.
pub(super) const NO_CERTIFICATES: &str = "certificates";

/// Fails if a path cannot be passed in a variable.
pub(super) fn check_fit(root: &Path) -> io::Result<()> {
    if root.to_str().is_none_or(|text| text.contains([':', '\n', '\0'])) {
        let what = format!("the path {} cannot be used in a variable: it has a colon or is not UTF-8", root.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(())
}

/// All variables, each once.
pub(super) fn variables(proxy: &str, root: &Path, outside: &OuterEnvironment<'_>) -> Vec<(String, String)> {
    let below = |name: &str| root.join(name).display().to_string();
    let url = format!("http://{proxy}");
    let mut all: Vec<(&str, String)> = Vec::new();
    all.extend(PROXY_VARIABLES.iter().map(|name| (*name, url.clone())));
    all.extend(EMPTIED_VARIABLES.iter().map(|name| (*name, String::new())));
    all.extend(BUNDLE_VARIABLES.iter().map(|name| (*name, below(BUNDLE))));
    if outside.value("SSL_CERT_DIR").is_some() {
        // The bundle contains the certificates of this folder. Some clients treat an empty value as an error, so the
        // variable names an empty folder.
        all.push(("SSL_CERT_DIR", below(NO_CERTIFICATES)));
    }
    all.push(("NODE_EXTRA_CA_CERTS", below(NODE_CERTIFICATES)));
    all.push(("NODE_OPTIONS", node_options(below(NODE_HOOK), outside.value("NODE_OPTIONS"))));
    all.push(("PYTHONPATH", joined(&root.join(PYTHON), outside.value("PYTHONPATH"))));
    all.push(("AGENTCI_PROXY", url));
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The user's options come first, so their preloads run before our hook.
fn node_options(hook: String, user: Option<&str>) -> String {
    // Node splits at spaces outside double quotes; inside them, a backslash escapes the next character.
    let hook = if hook.contains([' ', '"', '\\']) {
        format!("\"{}\"", hook.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        hook
    };
    user.map_or_else(|| format!("--require={hook}"), |user| format!("{user} --require={hook}"))
}

pub(super) fn joined(folder: &Path, user: Option<&str>) -> String {
    let folder = folder.display();
    user.map_or_else(|| folder.to_string(), |user| format!("{folder}:{user}"))
}
