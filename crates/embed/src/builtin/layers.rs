//! The model: embeddings, three layers of attention and dense products, and the mean over all tokens.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, Slice};

use super::tensors::{QuantizedMatrix, Tensors, matrix};

/// The dimensions of a token and of the vector of a text.
pub(super) const DIMENSIONS: usize = 384;
/// The most tokens of one piece, including the two markers around it.
pub(super) const MOST_TOKENS: usize = 128;
const VOCABULARY: usize = 30_522;
const POSITIONS: usize = 512;
const LAYERS: usize = 3;
const HEADS: usize = 12;
const HEAD: usize = DIMENSIONS / HEADS;
const INNER: usize = 1_536;

/// The weights, ready to be used. The word embeddings stay packed in 4 bits, since a text needs only a few of them.
#[derive(Debug)]
pub(super) struct EmbeddingModel {
    words: QuantizedMatrix,
    positions: QuantizedMatrix,
    kinds: QuantizedMatrix,
    norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    /// Queries, keys and values in one product.
    attention: Dense,
    attended: Dense,
    attention_norm: Norm,
    widen: Dense,
    narrow: Dense,
    norm: Norm,
}

#[derive(Debug)]
struct Dense {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

impl EmbeddingModel {
    pub(super) fn load(file: &'static [u8]) -> Result<Self, String> {
        let tensors = Tensors::read(file)?;
        Ok(Self {
            words: tensors.packed("embeddings.word_embeddings.weight", VOCABULARY, DIMENSIONS)?,
            positions: tensors.packed("embeddings.position_embeddings.weight", POSITIONS, DIMENSIONS)?,
            kinds: tensors.packed("embeddings.token_type_embeddings.weight", 2, DIMENSIONS)?,
            norm: Norm::load(&tensors, "embeddings.LayerNorm")?,
            layers: (0..LAYERS).map(|index| Layer::load(&tensors, index)).collect::<Result<_, _>>()?,
        })
    }

    /// The mean over all tokens, not yet of length 1. At most [`MOST_TOKENS`] ids go in.
    pub(super) fn mean(&self, ids: &[u16]) -> Array1<f32> {
        let mut tokens = Array2::zeros((ids.len(), DIMENSIONS));
        for (position, (id, mut token)) in ids.iter().zip(tokens.rows_mut()).enumerate() {
            if let Some(token) = token.as_slice_mut() {
                self.words.add_row(usize::from(*id), token);
                self.positions.add_row(position, token);
                self.kinds.add_row(0, token);
            }
        }
        self.norm.apply(&mut tokens);
        for layer in &self.layers {
            tokens = layer.apply(&tokens);
        }
        tokens.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(DIMENSIONS))
    }
}

impl Layer {
    fn load(tensors: &Tensors, index: usize) -> Result<Self, String> {
        let name = |rest: &str| format!("encoder.layer.{index}.{rest}");
        Ok(Self {
            attention: Dense::load_attention(tensors, &name("attention.self"))?,
            attended: Dense::load(tensors, &name("attention.output.dense"), DIMENSIONS, DIMENSIONS)?,
            attention_norm: Norm::load(tensors, &name("attention.output.LayerNorm"))?,
            widen: Dense::load(tensors, &name("intermediate.dense"), INNER, DIMENSIONS)?,
            narrow: Dense::load(tensors, &name("output.dense"), DIMENSIONS, INNER)?,
            norm: Norm::load(tensors, &name("output.LayerNorm"))?,
        })
    }

    fn apply(&self, tokens: &Array2<f32>) -> Array2<f32> {
        let mut attended = self.attended.apply(&attend(&self.attention.apply(tokens)));
        attended += tokens;
        self.attention_norm.apply(&mut attended);
        let mut wide = self.widen.apply(&attended);
        wide.mapv_inplace(gelu);
        let mut out = self.narrow.apply(&wide);
        out += &attended;
        self.norm.apply(&mut out);
        out
    }
}

/// Attention: each token becomes a mixture of all tokens, weighted by how well its query matches their keys, separately
/// for each head.
fn attend(all: &Array2<f32>) -> Array2<f32> {
    let count = all.nrows();
    let mut mixed = Array2::zeros((count, DIMENSIONS));
    let mut scores = Array2::zeros((count, count));
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let scale = 1.0 / (HEAD as f32).sqrt();
    for head in 0..HEADS {
        let part = |kind: usize| {
            let start = kind * DIMENSIONS + head * HEAD;
            all.slice_axis(Axis(1), Slice::from(start..start + HEAD))
        };
        general_mat_mul(scale, &part(0), &part(1).t(), 0.0, &mut scores);
        for mut row in scores.rows_mut() {
            let most = row.fold(f32::NEG_INFINITY, |most, &score| most.max(score));
            row.mapv_inplace(|score| (score - most).exp());
            let sum = row.sum();
            row.mapv_inplace(|weight| weight / sum);
        }
        let mut out = mixed.slice_axis_mut(Axis(1), Slice::from(head * HEAD..(head + 1) * HEAD));
        general_mat_mul(1.0, &scores, &part(2), 0.0, &mut out);
    }
    mixed
}

impl Dense {
    fn load(tensors: &Tensors, name: &str, rows: usize, columns: usize) -> Result<Self, String> {
        let weight = tensors.packed(&format!("{name}.weight"), rows, columns)?.whole();
        Ok(Self { weight, bias: tensors.vector(&format!("{name}.bias"), rows)? })
    }

    fn load_attention(tensors: &Tensors, name: &str) -> Result<Self, String> {
        let mut weights = Vec::new();
        let mut bias = Vec::new();
        for part in ["query", "key", "value"] {
            weights.push(tensors.packed(&format!("{name}.{part}.weight"), DIMENSIONS, DIMENSIONS)?);
            bias.extend(tensors.vector(&format!("{name}.{part}.bias"), DIMENSIONS)?);
        }
        Ok(Self { weight: matrix(&weights), bias: bias.into() })
    }

    fn apply(&self, tokens: &Array2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((tokens.nrows(), self.bias.len()));
        out += &self.bias;
        general_mat_mul(1.0, tokens, &self.weight.t(), 1.0, &mut out);
        out
    }
}

impl Norm {
    fn load(tensors: &Tensors, name: &str) -> Result<Self, String> {
        let weight = tensors.vector(&format!("{name}.weight"), DIMENSIONS)?;
        Ok(Self { weight, bias: tensors.vector(&format!("{name}.bias"), DIMENSIONS)? })
    }

    fn apply(&self, tokens: &mut Array2<f32>) {
        #[expect(clippy::cast_precision_loss, reason = "a small constant")]
        let count = DIMENSIONS as f32;
        for mut token in tokens.rows_mut() {
            let mean = token.sum() / count;
            token -= mean;
            let deviation = (token.dot(&token) / count + 1e-12).sqrt();
            token /= deviation;
            token *= &self.weight;
            token += &self.bias;
        }
    }
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function by formula 7.1.26 of Abramowitz and Stegun, with an error of at most 1.5e-7.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let polynomial = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let sum = polynomial.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_matches_known_values() {
        for (x, value) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (-1.0, -0.842_700_8)]
        {
            assert!((erf(x) - value).abs() < 1e-6, "{x}: {}", erf(x));
        }
    }
}
