//! Sends requests to the live world, and describes failures in plain words.

use std::error::Error as _;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hyper::{HeaderMap, Method};
use hyper_util::client::proxy::matcher::Intercept;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder, Proxy, Url};
use tokio::net::TcpStream;

use crate::proxy::forwarding::user_proxy;
use crate::proxy::{RequestTarget, UserProxy};

/// Timeout of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of the head of an answer, and of each pause in its body: models think for minutes.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);
/// How long an idle connection is kept; many servers close theirs after five seconds.
const KEPT: Duration = Duration::from_secs(4);

type LazyClient = OnceLock<Result<Client, String>>;

/// A client for the live world.
pub(crate) struct Upstream {
    /// Additional certificate authorities for servers.
    roots: Vec<Certificate>,
    user_proxy: UserProxy,
    plain: LazyClient,
    direct: LazyClient,
    /// Clients for the user's proxy: for `http` and for `https`.
    proxied: [LazyClient; 2],
    closed: Mutex<Option<String>>,
}

impl Upstream {
    /// Takes additional certificate authorities as PEM, and the environment that names the user's proxy.
    pub(crate) fn new(roots: Option<&[u8]>, environment: &[(String, String)]) -> Result<Self, String> {
        let roots = roots.map_or_else(|| Ok(Vec::new()), Certificate::from_pem_bundle);
        let roots = roots.map_err(|error| format!("the authorities of servers are not PEM: {}", words(error)))?;
        let (plain, direct, proxied) = (LazyClient::new(), LazyClient::new(), [LazyClient::new(), LazyClient::new()]);
        Ok(Self { roots, user_proxy: UserProxy::of(environment), plain, direct, proxied, closed: Mutex::default() })
    }

    /// From now on nothing is sent.
    pub(crate) fn close(&self, reason: &str) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
    }

    /// Why nothing is sent any more.
    pub(crate) fn closed(&self) -> Option<String> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request. The error is the reason why there is no answer, without the address.
    pub(crate) async fn send(
        &self,
        target: &RequestTarget,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<reqwest::Body>,
    ) -> Result<reqwest::Response, String> {
        let url = Url::parse(&format!("{}{path}", target.origin())).map_err(|error| error.to_string())?;
        let mut request = self.client(target)?.request(method, url).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        match tokio::time::timeout(ANSWER_TIMEOUT, request.send()).await {
            Ok(answer) => answer.map_err(words),
            Err(_) => Err(format!("no answer within {} s", ANSWER_TIMEOUT.as_secs())),
        }
    }

    /// A connection that is not read. Its protocol is unknown; usually it is TLS, so the user's proxy for that is used.
    pub(crate) async fn dial(&self, target: &RequestTarget) -> Result<TcpStream, String> {
        let connect = async {
            if let Some(proxy) = self.user_proxy.before(&RequestTarget { tls: true, ..target.clone() }) {
                return user_proxy::tunnel(&proxy, target).await;
            }
            let place = (target.host.as_str(), target.port);
            TcpStream::connect(place).await.map_err(|error| error.to_string())
        };
        match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                Ok(stream)
            }
            Ok(Err(words)) => Err(words),
            Err(_) => Err(format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())),
        }
    }

    /// The client for a target. Servers on this machine are never called through a proxy, and without TLS the client
    /// needs no certificates, which take time to load.
    fn client(&self, target: &RequestTarget) -> Result<&Client, String> {
        let made = match self.user_proxy.before(target) {
            Some(proxy) => self.proxied[usize::from(target.tls)].get_or_init(|| build(self.trusting(through(&proxy)?))),
            None if !target.tls => self.plain.get_or_init(|| build(Client::builder().no_proxy().tls_certs_only([]))),
            None => self.direct.get_or_init(|| build(self.trusting(Client::builder().no_proxy()))),
        };
        made.as_ref().map_err(Clone::clone)
    }

    fn trusting(&self, builder: ClientBuilder) -> ClientBuilder {
        if self.roots.is_empty() { builder } else { builder.tls_certs_merge(self.roots.clone()) }
    }
}

/// An error with its causes. The address is omitted: it may contain a key.
pub(crate) fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.last().is_some_and(|last| last.contains(&text)) {
            words.push(text);
        }
        cause = error.source();
    }
    words.join(": ")
}

/// A client that uses a proxy for all hosts; the caller has selected them.
fn through(proxy: &Intercept) -> Result<ClientBuilder, String> {
    let mut chosen = Proxy::all(proxy.uri().to_string()).map_err(words)?;
    if let Some(login) = proxy.basic_auth() {
        chosen = chosen.custom_http_auth(login.clone());
    }
    Ok(Client::builder().no_proxy().proxy(chosen))
}

fn build(builder: ClientBuilder) -> Result<Client, String> {
    // Fails only if a provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = builder.redirect(Policy::none()).http1_only().referer(false);
    let builder = builder.connect_timeout(CONNECT_TIMEOUT).read_timeout(ANSWER_TIMEOUT).pool_idle_timeout(KEPT);
    builder.build().map_err(words)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;

    fn target(uri: &str) -> RequestTarget {
        RequestTarget::of_uri(&uri.parse().unwrap()).unwrap()
    }

    /// A server that accepts connections and sends nothing, and its address.
    async fn silent() -> (TcpListener, String) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        (listener, url)
    }

    #[tokio::test(start_paused = true)]
    async fn response_has_a_timeout() {
        let (_listener, url) = silent().await;
        let upstream = Upstream::new(None, &[]).unwrap();
        let began = Instant::now();
        let answer = upstream.send(&target(&url), Method::GET, "/", HeaderMap::new(), None).await;
        assert!(answer.is_err());
        assert_eq!(began.elapsed().as_secs(), ANSWER_TIMEOUT.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn connecting_has_a_timeout() {
        let (_listener, url) = silent().await;
        let upstream = Upstream::new(None, &[("HTTPS_PROXY".into(), url)]).unwrap();
        let began = Instant::now();
        let words = upstream.dial(&target("https://api.example.com")).await.unwrap_err();
        assert_eq!(words, "no connection within 30 s");
        assert_eq!(began.elapsed().as_secs(), CONNECT_TIMEOUT.as_secs());
    }
}
