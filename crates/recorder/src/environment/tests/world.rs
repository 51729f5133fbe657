//! A proxy that simulates all servers: it opens every tunnel, answers the requests in it, and keeps the list of
//! tunnels.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::environment::Environment;

pub(super) struct World {
    pub(super) ca_pem: String,
    pub(super) address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub(super) fn start() -> Self {
        let (ca_pem, config) = certificates();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, log) = (Arc::clone(&config), Arc::clone(&kept));
                thread::spawn(move || serve(stream, config, &log));
            }
        });
        Self { ca_pem, address, log }
    }

    /// Runs a program as an agent and returns its output. Panics with its errors if it fails.
    pub(super) fn run(&self, program: &[&str], outside: &[(&str, &str)]) -> String {
        let outside: Vec<(String, String)> = outside.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
        let environment = Environment::prepare(&self.ca_pem, &self.address.to_string(), &outside, None).unwrap();
        let mut command = Command::new("timeout");
        command.arg("60").args(program).env_clear().envs(outside).envs(environment.variables());
        for kept in ["PATH", "HOME"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
    }

    /// The requests since the last call: `target first-line-in-the-tunnel`.
    pub(super) fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

fn certificates() -> (String, Arc<ServerConfig>) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.distinguished_name.push(DnType::CommonName, "the authority of a test");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate().unwrap();
    let own = authority.self_signed(&key).unwrap();
    let issuer = Issuer::new(authority, key);
    let mut leaf = CertificateParams::new(vec!["api.test".to_owned(), "10.1.2.3".to_owned()]).unwrap();
    leaf.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate().unwrap();
    let leaf = leaf.signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let mut config = builder.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec(), b"h2".to_vec()];
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(own.der()));
    (pem, Arc::new(config))
}

fn serve(mut stream: TcpStream, config: Arc<ServerConfig>, log: &Mutex<Vec<String>>) {
    const HANDSHAKE: u8 = 0x16;
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let Some(target) = head(&mut stream) else { return };
    let Some(target) = target.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()) else {
        log.lock().unwrap().push(format!("proxied {target}"));
        let _ = stream.write_all(ANSWER);
        return;
    };
    if target.starts_with("refused.test") {
        let _ = stream.write_all(b"HTTP/1.1 403 not in the recording\r\nx: y\r\n\r\n");
        return;
    }
    let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\nx: y\r\n\r\n");
    let mut first = [0];
    let secure = stream.peek(&mut first).is_ok_and(|count| count == 1) && first[0] == HANDSHAKE;
    if secure {
        answer(StreamOwned::new(ServerConnection::new(config).unwrap(), stream), target, log);
    } else {
        answer(stream, target, log);
    }
}

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn answer(mut stream: impl Read + Write, target: &str, log: &Mutex<Vec<String>>) {
    while let Some(line) = head(&mut stream) {
        log.lock().unwrap().push(format!("{target} {line}"));
        if line.starts_with("PRI ") || stream.write_all(ANSWER).is_err() {
            return;
        }
    }
}

/// Reads a head to its end and returns its first line.
fn head(stream: &mut impl Read) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    Some(String::from_utf8_lossy(&bytes).lines().next()?.to_owned())
}
