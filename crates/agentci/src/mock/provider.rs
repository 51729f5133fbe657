//! A scripted model that is called from Rust.

use std::sync::{Arc, Mutex, PoisonError};

use agentci_drivers::mock::{MockDraws, failure, first_random};
use agentci_plan::MockScript;

use super::{Message, MockLlmConfig, MockLlmResponse, SimulatedError};

/// A scripted model. It returns its answers in turn, without delays or network calls.
///
/// ```
/// use agentci::{MockLlmConfig, MockLlmProvider, MockLlmResponse};
///
/// let responses = [MockLlmResponse::new("one", "m", 1, 0.0)?, MockLlmResponse::new("two", "m", 1, 0.0)?];
/// let model = MockLlmProvider::new(MockLlmConfig::new("m").with_responses(responses));
/// let said: Vec<String> = (0..3).filter_map(|_| Some(model.complete(&[], None).ok()?.content)).collect();
/// assert_eq!(said, ["one", "two", "one"]);
/// assert_eq!(model.call_count(), 3);
/// model.reset();
/// assert_eq!(model.call_count(), 0);
/// # Ok::<(), agentci::mock::InvalidModelError>(())
/// ```
#[derive(Debug)]
pub struct MockLlmProvider {
    script: Arc<MockScript>,
    seed: u64,
    state: Mutex<ProviderState>,
}

#[derive(Debug, Default)]
struct ProviderState {
    calls: u64,
    served: usize,
}

impl MockLlmProvider {
    /// Creates a model with this script.
    pub fn new(config: MockLlmConfig) -> Self {
        Self { script: config.into_plan(), seed: 0, state: Mutex::default() }
    }

    /// Sets the seed for calls without one. With equal seeds, the same calls fail.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns the next answer, whatever the messages are. With a seed, whether the call fails is decided as by
    /// Python's `random.Random(seed).random()`; without one, it depends on the model's own seed and the number of the
    /// call.
    pub fn complete(&self, messages: &[Message], seed: Option<i64>) -> Result<MockLlmResponse, SimulatedError> {
        let _ = messages;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let position = u32::try_from(state.calls).unwrap_or(u32::MAX);
        state.calls += 1;
        let rate = self.script.failure_rate;
        let fails = match seed {
            Some(seed) => rate > 0.0 && first_random(i128::from(seed)) < rate,
            None => MockDraws::new(self.seed).fails(&self.script, position),
        };
        if fails {
            return Err(SimulatedError(failure(rate, state.calls)));
        }
        let response = self.script.response(state.served);
        state.served += 1;
        Ok(MockLlmResponse::from_plan(response))
    }

    /// The number of calls since the model was created or reset.
    pub fn call_count(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).calls
    }

    /// Starts again with the first answer.
    pub fn reset(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = ProviderState::default();
    }
}
