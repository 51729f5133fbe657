//! Counts retries: a request that is repeated because its answer failed counts once.

use std::sync::Arc;

use serde_json::Value;

use super::answer::is_fault;

/// Counts model calls. A failed request that is repeated with an equal body is one call.
#[derive(Debug, Default)]
pub struct ModelAttempts {
    calls: usize,
    /// Failed requests, each with the number of its call.
    failed: Vec<(Arc<Value>, usize)>,
}

impl ModelAttempts {
    /// Adds a request and its answer, and returns the number of their call, from 0.
    pub fn take(&mut self, request: &Arc<Value>, response: &Value) -> usize {
        let again = self.failed.iter().position(|(failed, _)| failed == request);
        let number = again.map_or(self.calls, |at| self.failed.remove(at).1);
        self.calls = self.calls.max(number + 1);
        if is_fault(response) {
            self.failed.push((Arc::clone(request), number));
        }
        number
    }

    /// The number of calls.
    pub fn calls(&self) -> usize {
        self.calls
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn retried_failed_request_is_one_call() {
        let (a, b) = (Arc::new(json!({"input": "a"})), Arc::new(json!({"input": "b"})));
        let (busy, cut, good) = (json!({"error": {"code": null}}), json!({"failure": "cut"}), json!({"error": null}));
        let mut attempts = ModelAttempts::default();
        let story = [(&a, &busy), (&b, &good), (&a, &cut), (&a, &good), (&a, &good), (&b, &good)];
        let numbers: Vec<usize> = story.iter().map(|(request, response)| attempts.take(request, response)).collect();
        assert_eq!((numbers, attempts.calls()), (vec![0, 1, 0, 0, 2, 3], 4));
    }

    #[test]
    fn unmatched_request_counts_as_call_each_time() {
        let mut attempts = ModelAttempts::default();
        let request = Arc::new(json!({}));
        let missed = json!({"error": {"code": "no_rule_fits", "message": "no rule fits"}});
        assert_eq!([attempts.take(&request, &missed), attempts.take(&request, &missed)], [0, 1]);
    }
}
