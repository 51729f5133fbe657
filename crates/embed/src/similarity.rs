//! The cosine similarity of vectors.

/// Two vectors have different dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "vectors of {0} and {1} dimensions cannot be compared\nhelp: embed both texts with the same model; if the model \
     changed, empty the cache of embeddings"
)]
pub struct DimensionsError(pub usize, pub usize);

/// The cosine of the angle between two vectors, from -1 to 1. It is 0 for a vector that is empty, such as that of a
/// blank text, or all zeros.
pub fn cosine(a: &[f32], b: &[f32]) -> Result<f64, DimensionsError> {
    if a.is_empty() || b.is_empty() {
        return Ok(0.0);
    }
    if a.len() != b.len() {
        return Err(DimensionsError(a.len(), b.len()));
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    let lengths = dot(a, a).sqrt() * dot(b, b).sqrt();
    if lengths > 0.0 { Ok((dot(a, b) / lengths).clamp(-1.0, 1.0)) } else { Ok(0.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn computes_cosine_of_vectors() {
        assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), Ok(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 3.0]), Ok(0.0));
        assert_eq!(cosine(&[1.0, 0.0], &[-1.0, 0.0]), Ok(-1.0));
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), Err(DimensionsError(1, 2)));
    }

    #[test]
    fn empty_or_zero_vector_has_zero_similarity() {
        assert_eq!(cosine(&[], &[1.0]), Ok(0.0));
        assert_eq!(cosine(&[0.0], &[1.0]), Ok(0.0));
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric_and_within_range(pair in prop::collection::vec((-1e18_f32..1e18, -1e18_f32..1e18), 1..8)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pair.into_iter().unzip();
            let there = cosine(&a, &b).unwrap();
            prop_assert!((-1.0..=1.0).contains(&there));
            prop_assert_eq!(there.to_bits(), cosine(&b, &a).unwrap().to_bits());
        }
    }
}
