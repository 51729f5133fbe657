//! The standard normal distribution, with the accuracy of a double.

use std::f64::consts::TAU;

/// From here on the continued fraction converges well; below, the series loses no digits.
const LARGE: f64 = 2.0;
/// The terms of the continued fraction, enough for all digits at [`LARGE`].
const TERMS: u32 = 160;

/// The probability of a value greater than `z`. The relative error is about 1e-15 even far out in the upper tail.
pub fn survival(z: f64) -> f64 {
    if z.is_nan() {
        z
    } else if z >= LARGE {
        upper(z)
    } else if z <= -LARGE {
        1.0 - upper(-z)
    } else {
        0.5 - between_zero_and(z)
    }
}

/// The value that is exceeded with probability `1 - p`. Infinite for 0 and 1; not a number outside of them.
pub fn quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    // Abramowitz and Stegun 26.2.23, with an error below 4.5e-4, then Halley's method, which triples the digits.
    let t = (-2.0 * p.ln()).sqrt();
    let start =
        t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    let refined = (0..3).fold(start, |z, _| {
        let step = (survival(z) - p) / density(z);
        z + 2.0 * step / (2.0 - step * z)
    });
    -refined
}

/// The density. The square is split in two parts, the first of which is exact: a rounded square of a large value would
/// cost its logarithm in digits.
fn density(z: f64) -> f64 {
    let high = f64::from_bits(z.to_bits() & 0xffff_ffff_0000_0000);
    (-0.5 * high * high).exp() * (-0.5 * (z - high) * (z + high)).exp() / TAU.sqrt()
}

/// `density(z) / (z + 1 / (z + 2 / (z + 3 / ...)))`
fn upper(z: f64) -> f64 {
    if z.is_infinite() {
        return 0.0;
    }
    density(z) / (1..=TERMS).rev().fold(z, |rest, term| z + f64::from(term) / rest)
}

/// `density(z) * (z + z^3 / 3 + z^5 / (3 * 5) + ...)`, all of one sign.
fn between_zero_and(z: f64) -> f64 {
    let (mut sum, mut term, mut odd) = (z, z, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum * density(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_mpmath() {
        let known = [
            (0.0, 0.5),
            (0.3, 0.382_088_577_811_047_4),
            (1.0, 0.158_655_253_931_457_07),
            (1.999, 0.022_804_176_932_658_88),
            (2.0, 0.022_750_131_948_179_21),
            (6.0, 9.865_876_450_376_98e-10),
            (20.0, 2.753_624_118_606_233_7e-89),
            (37.5, 4.605_353_009_581_955e-308),
            (-1.0, 0.841_344_746_068_542_9),
            (-3.0, 0.998_650_101_968_369_9),
        ];
        for (z, expected) in known {
            assert!((survival(z) / expected - 1.0).abs() < 1e-14, "{z}: {:e}", survival(z));
        }
    }

    #[test]
    fn the_quantile_inverts_the_survival_function() {
        for p in [1e-300, 1e-12, 0.001, 0.025, 0.3, 0.5] {
            assert!((survival(-quantile(p)) / p - 1.0).abs() < 1e-12, "{p}");
            assert!((survival(quantile(p)) - (1.0 - p)).abs() < 1e-15, "{p}");
        }
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan());
    }

    #[test]
    fn the_ends_are_zero_and_one() {
        assert_eq!((survival(f64::INFINITY), survival(f64::NEG_INFINITY)), (0.0, 1.0));
        assert!(survival(f64::NAN).is_nan());
    }

    #[test]
    fn both_methods_agree_where_they_meet() {
        assert!((upper(LARGE) / (0.5 - between_zero_and(LARGE)) - 1.0).abs() < 1e-14);
        assert!((density(0.0) - 1.0 / TAU.sqrt()).abs() < 1e-16);
    }
}
