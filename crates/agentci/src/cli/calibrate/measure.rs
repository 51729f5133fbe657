//! Measures labelled pairs.

use agentci::embed::calibration::LabelledPair;
use agentci::embed::remote::{Cache, RetryLimits};
use agentci::embed::{Builtin, DEFAULT_BASE_URL, Embedder, EmbedderChoice, Remote, Service, choose};
use agentci::embed::{contradictions, cosine, facts};
use agentci::environment;
use agentci::verdict::Contradiction;

use super::super::CliError;
use super::labels::LabelledAnswer;

/// The number of pairs that are embedded at a time.
const BATCH: usize = 32;

/// What was measured of a pair.
pub(super) struct MeasuredPair {
    pub(super) pair: LabelledPair,
    pub(super) contradiction: Option<Contradiction>,
    /// The facts that the answer lacks.
    pub(super) missing: Vec<String>,
}

/// The embedder with this name; by default the one that a run would use.
pub(super) fn open(pinned: Option<&str>) -> Result<Embedder, CliError> {
    let variable = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let key = variable("OPENAI_API_KEY");
    let url = variable("OPENAI_BASE_URL").or_else(|| variable("OPENAI_API_BASE"));
    let choice = choose(pinned, key.as_deref()).map_err(CliError::plain)?;
    let EmbedderChoice::Remote { model } = choice else { return Ok(Embedder::Builtin(Builtin)) };
    if key.is_none() && url.is_none() {
        return Err(CliError::new(
            format!("`openai:{model}` needs an API key, but `OPENAI_API_KEY` is not set"),
            "set it, set `OPENAI_BASE_URL` to a service that needs no key, or use `--embedder builtin`",
        ));
    }
    let service = Service { base_url: url.unwrap_or_else(|| DEFAULT_BASE_URL.into()), model, key };
    Ok(Embedder::Remote(Box::new(Remote::new(service, RetryLimits::default(), Cache::in_memory()))))
}

/// Measures all pairs, in their order.
pub(super) async fn all(embedder: &Embedder, labels: &[LabelledAnswer]) -> Result<Vec<MeasuredPair>, CliError> {
    let mut measured = Vec::with_capacity(labels.len());
    for batch in labels.chunks(BATCH) {
        let texts: Vec<&str> = batch.iter().flat_map(|label| [&*label.expected, &*label.answer]).collect();
        // A service has limits of its own for its answers.
        let vectors = embedder.embed(&texts).await.map_err(CliError::plain)?;
        for (label, vectors) in batch.iter().zip(vectors.chunks(2)) {
            measured.push(pair(label, vectors)?);
        }
    }
    Ok(measured)
}

fn pair(label: &LabelledAnswer, vectors: &[Vec<f32>]) -> Result<MeasuredPair, CliError> {
    // A blank answer has no vector, and is similar to nothing.
    let similarity = match vectors {
        [expected, answer] if !answer.is_empty() => cosine(expected, answer).map_err(CliError::plain)?.max(0.0),
        _ => 0.0,
    };
    let missing = facts::compare(&label.expected, &label.answer).missing;
    let contradiction = contradictions::find(&label.expected, &label.answer);
    let pair = LabelledPair {
        same: label.same,
        similarity,
        lacks_fact: !missing.is_empty(),
        contradicts: contradiction.as_ref().is_some_and(|found| found.certain),
    };
    let missing = missing.into_iter().map(|fact| format!("{} `{}`", fact.kind, fact.text)).collect();
    Ok(MeasuredPair { pair, contradiction, missing })
}
