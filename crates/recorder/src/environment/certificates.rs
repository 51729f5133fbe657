//! Collects the certificates that an agent should trust: ours, those of the system, and those that the user's variables
//! name.
//!
//! Variables such as `SSL_CERT_FILE` replace the certificates that a client trusts, so the bundle contains everything
//! the client trusted before, plus our own authority. Only certificates are copied: a key in the same file is not.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use fs_err as fs;

use super::variables::{BUNDLE_VARIABLES, OuterEnvironment};

/// Maximum number of bytes read from a certificate file; the roots of a system take a quarter of a megabyte.
const LARGEST_FILE: u64 = 16 << 20;
/// Maximum number of files read from a certificate folder; that of a system has about three hundred.
const MOST_FILES: usize = 4_096;
/// For how many environments the trusted certificates are cached.
const MOST_KNOWN: usize = 8;

/// Where systems keep their roots in one file: Debian, Fedora, openSUSE, older Red Hat, Alpine and macOS, FreeBSD.
const SYSTEM_FILES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/etc/ssl/cert.pem",
];
/// Where systems keep their roots as single files.
const SYSTEM_FOLDERS: &[&str] = &["/etc/ssl/certs", "/etc/pki/tls/certs"];

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// Certificates in PEM, without duplicates.
#[derive(Debug, Default)]
pub(super) struct Certificates {
    pub(super) text: String,
    seen: HashSet<String>,
    /// Files that were read, by device and inode: several variables and links often point at the same file.
    read: HashSet<(u64, u64)>,
}

impl Certificates {
    /// The certificates in a text.
    pub(super) fn of(text: &str) -> Self {
        let mut certificates = Self::default();
        certificates.add(text);
        certificates
    }

    fn add(&mut self, text: &str) {
        for block in text.split(BEGIN).skip(1) {
            let Some((inside, _)) = block.split_once(END) else { continue };
            let inside = inside.trim();
            if self.seen.insert(inside.lines().map(str::trim).collect()) {
                self.text.extend([BEGIN, "\n", inside, "\n", END, "\n"]);
            }
        }
    }

    /// Adds the certificates of a file. A file that is missing or unreadable is skipped: a client would have ignored it
    /// or reported it itself.
    fn add_file(&mut self, path: &Path) {
        let Ok(metadata) = fs::metadata(path) else { return };
        if !self.read.insert((metadata.dev(), metadata.ino())) {
            return;
        }
        let mut bytes = Vec::new();
        if metadata.is_file()
            && File::open(path).is_ok_and(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes).is_ok())
        {
            self.add(&String::from_utf8_lossy(&bytes));
        }
    }

    fn add_folder(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).take(MOST_FILES).collect();
        files.sort();
        for file in files {
            self.add_file(&file);
        }
    }
}

/// The certificates by the values of the variables. A run starts a session for every attempt, and a certificate folder
/// has hundreds of files.
type KnownCertificates = Mutex<HashMap<Vec<Option<String>>, Arc<str>>>;

/// All certificates that the agent trusts without the recorder, plus our own authority, as PEM.
pub(super) fn bundle(own: &Certificates, outside: &OuterEnvironment<'_>) -> String {
    static KNOWN: LazyLock<KnownCertificates> = LazyLock::new(KnownCertificates::default);
    let variables = BUNDLE_VARIABLES.iter().chain(&["SSL_CERT_DIR"]);
    let key: Vec<Option<String>> = variables.map(|name| outside.value(name).map(str::to_owned)).collect();
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let read = known().get(&key).cloned();
    let trusted = read.unwrap_or_else(|| {
        let trusted: Arc<str> = trusted(outside).text.into();
        let mut known = known();
        // Few environments of a suite differ in these variables.
        if known.len() == MOST_KNOWN {
            known.clear();
        }
        known.insert(key, Arc::clone(&trusted));
        trusted
    });
    format!("{trusted}{}", own.text)
}

/// All certificates that the agent trusts without the recorder.
fn trusted(outside: &OuterEnvironment<'_>) -> Certificates {
    let mut all = Certificates::default();
    // OpenSSL uses this file and these folders instead of those of the system.
    if let Some(file) = outside.whole_path("SSL_CERT_FILE") {
        all.add_file(file);
    }
    for folder in outside.paths("SSL_CERT_DIR") {
        all.add_folder(folder);
    }
    if all.text.is_empty() {
        add_system(&mut all);
    }
    for variable in BUNDLE_VARIABLES {
        if let Some(path) = outside.whole_path(variable) {
            if path.is_dir() { all.add_folder(path) } else { all.add_file(path) }
        }
    }
    all
}

/// Our own authority and the certificates that the user adds to Node's roots.
pub(super) fn extra(own: &Certificates, outside: &OuterEnvironment<'_>) -> Certificates {
    let mut all = Certificates::of(&own.text);
    if let Some(file) = outside.whole_path("NODE_EXTRA_CA_CERTS") {
        all.add_file(file);
    }
    all
}

fn add_system(all: &mut Certificates) {
    for file in SYSTEM_FILES {
        all.add_file(Path::new(file));
        if !all.text.is_empty() {
            return;
        }
    }
    for folder in SYSTEM_FOLDERS {
        all.add_folder(Path::new(folder));
    }
}
