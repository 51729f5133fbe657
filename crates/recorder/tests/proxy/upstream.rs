//! A server that sends HTTP/1.1 byte for byte as specified by a test, with or without TLS, and keeps the requests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A step of the answer to a request for a path.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Does nothing for this long.
    Wait(Duration),
    /// Closes the connection.
    Close,
    /// Echoes the input until the other side closes.
    Echo,
}

/// The answers to a path: the first one for the first request, and the last one from then on.
pub(crate) type Scripts = BTreeMap<&'static str, Vec<Vec<Step>>>;

/// The requests that the server received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) connections: usize,
    pub(crate) received: Vec<Received>,
    /// When each `Send` was done.
    pub(crate) sent: Vec<Instant>,
    /// How many clients disconnected before the end of the script.
    pub(crate) left: usize,
}

/// The server, until it is dropped.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    pub(crate) roots: Option<Vec<u8>>,
    pub(crate) log: Arc<Mutex<Log>>,
    task: JoinHandle<()>,
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Upstream {
    pub(crate) async fn start(tls: bool, scripts: Scripts) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (acceptor, roots) = if tls { Some(certify()).unzip() } else { (None, None) };
        let log = Arc::new(Mutex::new(Log::default()));
        let (scripts, noted) = (Arc::new(scripts), Arc::clone(&log));
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                stream.set_nodelay(true).unwrap();
                noted.lock().unwrap().connections += 1;
                let (acceptor, scripts, log) = (acceptor.clone(), Arc::clone(&scripts), Arc::clone(&noted));
                tokio::spawn(async move {
                    match acceptor {
                        None => serve(stream, &scripts, &log).await,
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                serve(stream, &scripts, &log).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, roots, log, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        let scheme = if self.roots.is_some() { "https" } else { "http" };
        format!("{scheme}://localhost:{}{path}", self.address.port())
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.log.lock().unwrap().received.iter().map(|received| received.head.clone()).collect()
    }
}

/// A complete answer.
pub(crate) fn whole(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let text = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
    vec![Step::Send(text.into_bytes())]
}

pub(crate) fn json(body: &str) -> Vec<Step> {
    whole("200 OK", "content-type: application/json\r\n", body)
}

/// A stream of server-sent events with pauses in between.
pub(crate) fn events(pause: Duration, events: &[&str]) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Send(head.as_bytes().to_vec())];
    for event in events {
        steps.push(Step::Send(chunk(event)));
        steps.push(Step::Wait(pause));
    }
    steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
    steps
}

pub(crate) fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, scripts: &Scripts, log: &Mutex<Log>) {
    let mut buffer = Vec::new();
    while let Some(received) = receive(&mut stream, &mut buffer).await {
        let path = received.head.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
        log.lock().unwrap().received.push(received);
        let asked = |received: &&Received| received.head.split(['?', ' ']).nth(1) == Some(path.as_str());
        let nth = log.lock().unwrap().received.iter().filter(asked).count() - 1;
        let Some(answers) = scripts.get(path.as_str()) else { return };
        for step in answers.get(nth).or(answers.last()).unwrap() {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(bytes).await.is_err() || stream.flush().await.is_err() {
                        log.lock().unwrap().left += 1;
                        return;
                    }
                    log.lock().unwrap().sent.push(Instant::now());
                }
                Step::Wait(time) => tokio::time::sleep(*time).await,
                Step::Close => return,
                Step::Echo => {
                    let mut bytes = [0; 64];
                    while let Ok(length @ 1..) = stream.read(&mut bytes).await {
                        stream.write_all(&bytes[..length]).await.unwrap();
                    }
                    return;
                }
            }
        }
    }
}

async fn receive(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> Option<Received> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer.drain(..end).collect()).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while buffer.len() < length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    Some(Received { head, body: buffer.drain(..length).collect() })
}

/// A TLS acceptor for `localhost`, and its authority as PEM.
fn certify() -> (TlsAcceptor, Vec<u8>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().der().clone();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".into()]).unwrap().signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap();
    let text = base64::engine::general_purpose::STANDARD.encode(authority);
    let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
    (TlsAcceptor::from(Arc::new(config)), pem.into_bytes())
}
