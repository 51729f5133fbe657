//! What a test asks of the server itself: the journal, and to begin anew.

use hyper::Response;
use serde_json::{Value, json};

use super::mind::Mind;
use super::routes::Route;
use crate::serve::Speech;

/// The answer, if this is a question of that kind.
pub(super) fn answer(route: &Route, mind: &Mind) -> Option<Response<Speech>> {
    let value: Value = match route {
        Route::Journal => mind.state().journal.value(),
        Route::Reset => {
            mind.reset();
            json!({ "reset": true })
        }
        _ => return None,
    };
    let mut response = Response::new(Speech::whole(format!("{value}\n")));
    let headers = response.headers_mut();
    headers.insert("content-type", hyper::header::HeaderValue::from_static("application/json"));
    Some(response)
}
