//! Control requests to the server itself: list the misses, and reset.

use std::sync::Arc;

use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::{exchange::json_response, session_state::SessionState, sessions::RouteSessions};
use agentci_wire::serve::ServedBody;

/// The answer to a control request, for all cases or for the one whose scope is in the path. `None` for any other
/// request.
pub(super) fn answer(sessions: &RouteSessions, method: &Method, path: &str) -> Option<Response<ServedBody>> {
    let short = path.strip_suffix('/').unwrap_or(path);
    let asked = ["/__agentci/misses", "/__misses", "/__agentci/reset"];
    let question = asked.into_iter().find(|question| short.ends_with(question))?;
    let below = short.strip_suffix(question)?;
    let cases = match sessions.find(below) {
        _ if below.is_empty() => sessions.all(),
        Some((active, "")) => vec![active],
        _ => return None,
    };
    let reset = question.ends_with("reset");
    let (wanted, allow) = if reset { (Method::POST, "POST") } else { (Method::GET, "GET") };
    if *method != wanted {
        let error = format!("`{path}` takes {allow}, not {method}");
        let mut response = json_response(StatusCode::METHOD_NOT_ALLOWED, &json!({ "error": error }));
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        return Some(response);
    }
    if reset {
        for active in &cases {
            active.reset();
        }
        return Some(json_response(StatusCode::OK, &json!({ "reset": true })));
    }
    let misses: Vec<Value> = cases.iter().flat_map(misses).collect();
    Some(json_response(StatusCode::OK, &json!({ "misses": misses })))
}

fn misses(active: &Arc<SessionState>) -> Vec<Value> {
    let mut values: Vec<Value> = active.misses().iter().map(super::miss::RouteMiss::value).collect();
    if let Some(scope) = &active.scope {
        for value in values.iter_mut().filter_map(Value::as_object_mut) {
            value.insert("case".into(), scope.as_str().into());
        }
    }
    values
}
