//! The folder and the variables.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::environment::Environment;

const OURS: &str = "-----BEGIN CERTIFICATE-----\nb3Vycw==\n-----END CERTIFICATE-----\n";

fn certificate(text: &str) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

fn prepare(outside: &[(&str, &str)]) -> (Environment, HashMap<String, String>) {
    let outside: Vec<_> = outside.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let environment = Environment::prepare(OURS, "127.0.0.1:7", &outside, None).unwrap();
    let variables = environment.variables();
    let count = variables.len();
    let map: HashMap<_, _> = variables.into_iter().collect();
    assert_eq!(map.len(), count, "each variable is there once");
    (environment, map)
}

#[test]
fn temporary_folder_is_private_and_removed_on_drop() {
    let (environment, variables) = prepare(&[]);
    let root = Path::new(&variables["SSL_CERT_FILE"]).parent().unwrap().to_owned();
    assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_to_string(root.join("ca.pem")).unwrap(), OURS);
    drop(environment);
    assert!(!root.exists());
}

#[test]
fn given_folder_is_kept_and_readable_by_others() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a b/c");
    let environment = Environment::prepare(OURS, "host:7", &[], Some(&folder)).unwrap();
    let variables: HashMap<_, _> = environment.variables().into_iter().collect();
    assert!(variables["NODE_OPTIONS"].ends_with("/a b/c/hook.cjs\""), "{}", variables["NODE_OPTIONS"]);
    drop(environment);
    for file in ["ca.pem", "bundle.pem", "hook.cjs", "python/sitecustomize.py"] {
        assert_eq!(fs::metadata(folder.join(file)).unwrap().permissions().mode() & 0o777, 0o644, "{file}");
    }
    let colon = home.path().join("a:b");
    assert!(Environment::prepare(OURS, "host:7", &[], Some(&colon)).unwrap_err().to_string().contains("colon"));
}

#[test]
fn overrides_variables_that_bypass_the_proxy() {
    let (_environment, variables) = prepare(&[("NO_PROXY", "api.openai.com"), ("all_proxy", "socks5://elsewhere")]);
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "AGENTCI_PROXY"] {
        assert_eq!(variables[name], "http://127.0.0.1:7");
    }
    for name in ["NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"] {
        assert_eq!(variables[name], "");
    }
    assert!(!variables.contains_key("SSL_CERT_DIR"));
}

#[test]
fn bundle_contains_user_certificates_but_no_private_keys() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
    let roots = file("roots.pem", &format!("# roots\n{}{key}", certificate("cm9vdA==")));
    let company = file("company.pem", &certificate("Y29tcGFueQ=="));
    fs::create_dir(home.path().join("d")).unwrap();
    file("d/one.0", &certificate("b25l"));
    file("d/again.0", &certificate("b25l"));
    let folder = home.path().join("d").to_str().unwrap().to_owned();
    let (_environment, variables) = prepare(&[
        ("SSL_CERT_FILE", &roots),
        ("REQUESTS_CA_BUNDLE", &company),
        ("SSL_CERT_DIR", &format!("/nowhere:{folder}")),
        ("NODE_EXTRA_CA_CERTS", &company),
        ("AWS_CA_BUNDLE", "/nowhere/at/all.pem"),
    ]);
    let bundle = fs::read_to_string(&variables["REQUESTS_CA_BUNDLE"]).unwrap();
    assert_eq!(
        bundle,
        [certificate("cm9vdA=="), certificate("b25l"), certificate("Y29tcGFueQ=="), OURS.to_owned()].concat()
    );
    assert_eq!(fs::read_dir(&variables["SSL_CERT_DIR"]).unwrap().count(), 0);
    let node = fs::read_to_string(&variables["NODE_EXTRA_CA_CERTS"]).unwrap();
    assert_eq!(node, [OURS.to_owned(), certificate("Y29tcGFueQ==")].concat());
}

/// A bundle file that is named but missing must not leave the agent with our authority alone.
#[test]
fn bundle_falls_back_to_system_roots() {
    let (_environment, variables) = prepare(&[("SSL_CERT_FILE", "/nowhere.pem")]);
    let bundle = fs::read_to_string(&variables["SSL_CERT_FILE"]).unwrap();
    assert!(bundle.ends_with(OURS));
    assert!(bundle.matches("BEGIN CERTIFICATE").count() > 50, "{}", bundle.len());
}
