//! Telemetry and similar requests: the libraries of an agent send them, and their answers do not matter.
//!
//! Only requests whose answers are never used count. The answers of feature flags, settings and update checks change
//! what an agent does, and package lookups may be the work of a tool: none of these is chatter.

use super::api::route;
use crate::tap::is_aside;
use crate::{RecordedBody, RecordedRequest};

/// Hosts with the paths at which they receive telemetry. A host that begins with a dot stands for all its subdomains, a
/// path that ends with a slash for all paths below it.
const HOSTS: &[(&str, &[&str])] = &[
    // Claude Code's event log and Statsig events; both were observed with Claude Code 2.1. Its metrics endpoint and
    // that of Codex below are known by name only and were not observed.
    ("api.anthropic.com", &["/api/event_logging/", "/api/claude_code/metrics"]),
    ("statsig.anthropic.com", &["/v1/rgstr", "/v1/log_event"]),
    ("chatgpt.com", &["/backend-api/codex/analytics-events/"]),
    // Clearcut, which receives the usage statistics of gemini-cli; not observed.
    ("play.googleapis.com", &["/log"]),
    // The tracing of openai-agents.
    ("api.openai.com", &["/v1/traces/ingest"]),
    // Agno names its runs at random; the first of its hosts was observed.
    ("os-api.agno.com", &["/telemetry/"]),
    ("api.agno.com", &["/v1/telemetry/", "/v2/telemetry/"]),
    // Event endpoints of Statsig's SDKs; `initialize` answers with flags.
    (".statsigapi.net", &["/v1/rgstr", "/v1/log_event"]),
    // LangSmith's client; `/runs/query` is a search.
    (".smith.langchain.com", &["/runs", "/api/v1/runs"]),
    // Tracking endpoints of Segment, PostHog, Amplitude and Mixpanel; those for flags are excluded.
    ("api.segment.io", &["/v1/"]),
    (".posthog.com", &["/batch", "/capture", "/track", "/e", "/i/v0/e"]),
    (".amplitude.com", &["/2/httpapi", "/batch"]),
    ("api.mixpanel.com", &["/track", "/engage"]),
    // Datadog's intakes, by the names of its API; searching logs has another path.
    (".datadoghq.com", &["/api/v2/logs", "/api/v2/llmobs/", "/api/v2/apmtelemetry", "/api/v2/rum"]),
    (".datadoghq.eu", &["/api/v2/logs", "/api/v2/llmobs/", "/api/v2/apmtelemetry", "/api/v2/rum"]),
    // Google Analytics; Next.js, which hosts AI SDK agents; Azure's Application Insights.
    (".google-analytics.com", &["/g/collect", "/mp/collect"]),
    ("telemetry.nextjs.org", &["/"]),
    (".applicationinsights.azure.com", &["/v2/track", "/v2.1/track"]),
];

/// Whether a request is telemetry or similar, which no agent waits for.
pub fn is_chatter(request: &RecordedRequest) -> bool {
    if is_aside(request) {
        return true;
    }
    if !matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        return false;
    }
    let (host, path) = (host(&request.origin), route(&request.path));
    let by_host = HOSTS.iter().any(|(known, paths)| {
        let fits = known.strip_prefix('.').map_or(host == *known, |domain| is_below(host, domain));
        fits && paths.iter().any(|known| is_known(path, known))
    });
    let is_update = request.method == "PATCH" && is_below(host, "smith.langchain.com") && path.contains("/runs/");
    by_host || is_update || is_otlp(request, path) || is_sentry(path) || is_trace_ingestion(path)
}

/// OpenTelemetry collectors may have any host. Paths alone are not enough: a tool may have a `/v1/logs` endpoint.
fn is_otlp(request: &RecordedRequest, path: &str) -> bool {
    let signal = [("/v1/traces", "resourceSpans"), ("/v1/logs", "resourceLogs"), ("/v1/metrics", "resourceMetrics")];
    let Some((_, key)) = signal.into_iter().find(|(end, _)| path.ends_with(end)) else { return false };
    let of_type = |wanted: &str| {
        request.headers.iter().any(|(name, value)| name == "content-type" && value.trim().starts_with(wanted))
    };
    match &request.body {
        RecordedBody::Json(body) => body.get(key).is_some(),
        _ => of_type("application/x-protobuf"),
    }
}

/// Sentry's envelopes, on any host: `/api/4504/envelope/`.
fn is_sentry(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let is_end = matches!(parts.next(), Some("envelope" | "store"));
    let is_project = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_end && parts.next().is_some_and(is_project) && parts.next() == Some("api")
}

/// The batches of the clients of Langfuse and `LangSmith`, whose servers are often self-hosted, and those of Datadog's
/// local agent.
fn is_trace_ingestion(path: &str) -> bool {
    let ends = ["/api/public/ingestion", "/runs/batch", "/runs/multipart"];
    let begins = ["/telemetry/proxy/api/v2/apmtelemetry", "/evp_proxy/"];
    ends.iter().any(|end| path.ends_with(end)) || begins.iter().any(|begin| path.starts_with(begin))
}

fn is_known(path: &str, known: &str) -> bool {
    if known.ends_with('/') { path.starts_with(known) } else { path == known }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|before| before.ends_with('.'))
}

/// The host of an origin, without its port.
fn host(origin: &str) -> &str {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    host.rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(host, _)| host)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(origin: &str, path: &str, body: RecordedBody) -> RecordedRequest {
        let headers = vec![("content-type".into(), "application/x-protobuf".into())];
        RecordedRequest {
            method: "POST".into(),
            origin: origin.into(),
            path: path.into(),
            headers,
            body,
            ..RecordedRequest::default()
        }
    }

    #[test]
    fn classifies_telemetry_as_chatter() {
        let spans = || RecordedBody::Json(json!({ "resourceSpans": [] }));
        let all = [
            ("https://api.anthropic.com", "/api/event_logging/batch", RecordedBody::Empty),
            ("https://statsig.anthropic.com", "/v1/rgstr", RecordedBody::Empty),
            ("https://api.openai.com", "/v1/traces/ingest", RecordedBody::Empty),
            ("http://127.0.0.1:4318", "/v1/traces", RecordedBody::Bytes("x".into())),
            ("https://cloud.langfuse.com", "/api/public/otel/v1/traces", spans()),
            ("https://o1.ingest.us.sentry.io", "/api/4504/envelope/?sentry_key=k", RecordedBody::Text("{}".into())),
            ("https://api.smith.langchain.com", "/runs/multipart", RecordedBody::Empty),
            ("https://play.googleapis.com", "/log?format=json", RecordedBody::Empty),
            ("https://http-intake.logs.us5.datadoghq.com", "/api/v2/logs", RecordedBody::Empty),
            ("https://us.i.posthog.com", "/batch/", RecordedBody::Empty),
            ("https://os-api.agno.com", "/telemetry/runs", RecordedBody::Empty),
            ("https://api.segment.io", "/v1/track", RecordedBody::Empty),
        ];
        for (origin, path, body) in all {
            assert!(is_chatter(&sent(origin, path, body)), "{origin}{path}");
        }
    }

    #[test]
    fn does_not_classify_agent_requests_as_chatter() {
        let logs = || RecordedBody::Json(json!({ "query": "errors of today" }));
        let all = [
            ("https://api.anthropic.com", "/v1/messages", RecordedBody::Empty),
            ("https://api.openai.com", "/v1/traces", logs()),
            ("https://shop.example", "/v1/logs", logs()),
            ("https://shop.example", "/log", RecordedBody::Empty),
            ("https://statsig.anthropic.com", "/v1/initialize", RecordedBody::Empty),
            ("https://us.i.posthog.com", "/flags/", RecordedBody::Empty),
            ("https://us.i.posthog.com", "/embed", RecordedBody::Empty),
            ("https://api.datadoghq.com", "/api/v2/logs/events/search", logs()),
            ("https://evil-posthog.com", "/batch", RecordedBody::Empty),
            ("https://shop.example", "/api/orders/envelope", RecordedBody::Empty),
            ("https://api.smith.langchain.com", "/runs/query", logs()),
        ];
        for (origin, path, body) in all {
            assert!(!is_chatter(&sent(origin, path, body)), "{origin}{path}");
        }
        let mut got = sent("https://api.segment.io", "/v1/track", RecordedBody::Empty);
        got.method = "GET".into();
        assert!(!is_chatter(&got));
    }
}
