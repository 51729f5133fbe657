//! Raw requests over a socket to the servers that replace models and tools.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use agentci_formats::{load, load_model_script};
use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_plan::{Mode, ToolSource};
use agentci_source::{MemoryFiles, Sources};
use agentci_stubs::{Faults, RouteOptions, RouteServer, RouteServerOptions};

/// A slower answer is a finding.
const PATIENCE: Duration = Duration::from_secs(5);

const MODEL: &str = "rules:\n  - { when: { user: refund }, tool_calls: [{ name: search, args: { id: 1 } }] }\n  \
    - { when: { user: { regex: 'a+b' } }, reply: [one, two] }\ndefault: hello\n";

const ROUTES: &str = "suite: s\ntarget: { process: { command: [a] } }\nworld:\n  tools:\n    bases: [BASE]\n    routes:\n      \
    pay:\n        - { request: { id: 1 }, response: { net: 1250 } }\n        - { request: { id: 2, name: a }, response: [] }\n\
    cases: [{ id: x, input: {} }]\n";

const LLM_PATHS: [&str; 6] = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1/embeddings",
    "/v1/models",
];

pub(crate) fn llm(bytes: &[u8]) {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    let address = *SERVER.get_or_init(|| {
        start(|| async {
            let files = MemoryFiles::default().with("model.yaml", MODEL);
            let script = load_model_script(&files, &mut Sources::default(), Path::new("model.yaml")).unwrap();
            let server = ModelServer::start(Arc::new(script), ModelServerOptions::default()).await.unwrap();
            (server.address(), server)
        })
    });
    ask(address, bytes, &LLM_PATHS);
}

pub(crate) fn tools(bytes: &[u8]) {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    let address = *SERVER.get_or_init(|| {
        start(|| async {
            let files = MemoryFiles::default().with("s/agentci.yaml", ROUTES);
            let loaded = load(&files, &["s".into()]);
            assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
            let ToolSource::Routes(routes) = &loaded.plan.suites[0].cases[0].world.tools else {
                panic!("{:?}", loaded.diagnostics)
            };
            let server = RouteServer::start(RouteServerOptions::default()).await.unwrap();
            let options = RouteOptions {
                routes: Arc::clone(routes),
                mode: Mode::Replay,
                faults: Faults::new([].into(), 0),
                observer: None,
                files: &files,
                variables: &|_| None,
            };
            let session = server.open(None, options).unwrap();
            (server.address(), (server, session))
        })
    });
    ask(address, bytes, &["/pay", "/pay?id=1", "/", "/other%2f/pay", "/__agentci/calls"]);
}

/// Runs a server in a separate thread until the program ends.
fn start<F, S>(serve: impl FnOnce() -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = (SocketAddr, S)>,
{
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (address, _server) = serve().await;
            tell.send(address).unwrap();
            std::future::pending::<()>().await;
        });
    });
    told.recv().unwrap()
}

/// Sends input that begins like a request unchanged; otherwise the first byte selects the path, and the rest is the
/// body.
fn ask(address: SocketAddr, bytes: &[u8], paths: &[&str]) {
    let raw = bytes.first().is_some_and(u8::is_ascii_uppercase);
    let request = match bytes.split_first() {
        Some((first, body)) if !raw => {
            let path = paths[usize::from(*first) % paths.len()];
            let kind = if first & 0x20 == 0 { "application/json" } else { "application/x-www-form-urlencoded" };
            let length = body.len();
            let head = "HTTP/1.1\r\nhost: a\r\nconnection: close";
            let head = format!("POST {path} {head}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
            [head.as_bytes(), body].concat()
        }
        _ => bytes.to_vec(),
    };
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A server may close the connection while the request is being sent.
    let sent = stream.write_all(&request);
    if raw || bytes.is_empty() {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let late = matches!(&read, Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut));
    assert!(!late, "no answer in {PATIENCE:?}");
    if !raw && !bytes.is_empty() && sent.is_ok() && read.is_ok() {
        assert!(answer.starts_with(b"HTTP/1.1 "), "{:?}", String::from_utf8_lossy(&answer));
    }
}
