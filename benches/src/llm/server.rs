//! Servers, each alone on a thread whose CPU time is known.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use agentci_plan::{MemoryFiles, ModelScript, Sources};
use agentci_stubs::{ModelServer, ServerOptions};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// A server on a thread of its own, until the process ends.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    /// Where the system tells the thread's time.
    schedstat: PathBuf,
}

impl Server {
    /// The scripted model.
    pub(super) fn model(script: &str) -> Result<Self, Box<dyn Error>> {
        let files = MemoryFiles::default().with("model.yaml", script);
        let loaded = agentci_formats::load_model_script(&files, &mut Sources::default(), Path::new("model.yaml"));
        let script: Arc<ModelScript> = Arc::new(loaded.map_err(|problems| format!("{problems:?}"))?);
        Self::on_thread("model", async move |told: &mpsc::Sender<SocketAddr>| {
            let server = ModelServer::start(script, ServerOptions::default()).await?;
            told.send(server.address())?;
            std::future::pending().await
        })
    }

    /// The least that a server of these bytes can do: it reads the request to its end and sends them, with
    /// the headers that the model's answers have.
    pub(super) fn bare(bytes: Vec<u8>) -> Result<Self, Box<dyn Error>> {
        let bytes = Bytes::from(bytes);
        Self::on_thread("bare", async move |told: &mpsc::Sender<SocketAddr>| {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            told.send(listener.local_addr()?)?;
            loop {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let bytes = bytes.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let bytes = bytes.clone();
                    async move {
                        let _ = request.into_body().collect().await;
                        let mut response = Response::new(Full::new(bytes));
                        let headers = response.headers_mut();
                        headers.insert("content-type", HeaderValue::from_static("application/json"));
                        headers.insert("x-request-id", HeaderValue::from_static("req_00000000000000000001"));
                        Ok::<_, Infallible>(response)
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        })
    }

    fn on_thread<F>(name: &str, serve: F) -> Result<Self, Box<dyn Error>>
    where
        F: AsyncFnOnce(&mpsc::Sender<SocketAddr>) -> Result<(), Box<dyn Error>> + Send + 'static,
    {
        let (told, address) = mpsc::channel();
        let (told_thread, thread) = mpsc::channel();
        // The name is how a profiler tells them apart.
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let here = std::fs::read_link("/proc/thread-self");
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let (Ok(here), Ok(runtime)) = (here, runtime)
                && told_thread.send(here).is_ok()
            {
                let _ = runtime.block_on(serve(&told));
            }
        })?;
        let schedstat = Path::new("/proc").join(thread.recv()?).join("schedstat");
        Ok(Self { address: address.recv()?, schedstat })
    }

    /// The CPU time of its thread so far.
    pub(super) fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let text = std::fs::read_to_string(&self.schedstat)?;
        let nanoseconds = text.split_ascii_whitespace().next().ok_or("no time")?.parse()?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}
