//! Computes the first number of Python's `random.Random(seed).random()`, so that a seed means the same in both.
//!
//! The generator is MT19937, initialised with the words of the seed's absolute value (Matsumoto and Nishimura, 2002).

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// The first number of the generator with this seed, in the range from 0 to 1, excluding 1.
pub fn first_random(seed: i128) -> f64 {
    let mut state = initialised(&words(seed.unsigned_abs()));
    // Only two words of the next state are needed, and they depend on the first words of this one.
    let high = tempered(twisted(&mut state, 0)) >> 5;
    let low = tempered(twisted(&mut state, 1)) >> 6;
    (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
}

/// The value in 32-bit words, the lowest first, at least one.
fn words(value: u128) -> Vec<u32> {
    let bytes = value.to_le_bytes();
    let mut words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    while words.len() > 1 && words.last() == Some(&0) {
        words.pop();
    }
    words
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a state has 624 numbers")
}

fn initialised(key: &[u32]) -> [u32; SIZE] {
    let mut state = [0_u32; SIZE];
    state[0] = 19_650_218;
    for index in 1..SIZE {
        let before = state[index - 1];
        state[index] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(small(index));
    }
    let (mut at, mut of_key) = (1, 0);
    for _ in 0..SIZE.max(key.len()) {
        let before = state[at - 1];
        state[at] = (state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_664_525))
            .wrapping_add(key[of_key])
            .wrapping_add(small(of_key));
        at += 1;
        of_key = (of_key + 1) % key.len();
        if at == SIZE {
            state[0] = state[SIZE - 1];
            at = 1;
        }
    }
    for _ in 1..SIZE {
        let before = state[at - 1];
        state[at] = (state[at] ^ (before ^ (before >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(small(at));
        at += 1;
        if at == SIZE {
            state[0] = state[SIZE - 1];
            at = 1;
        }
    }
    state[0] = 0x8000_0000;
    state
}

fn twisted(state: &mut [u32; SIZE], index: usize) -> u32 {
    let joined = (state[index] & 0x8000_0000) | (state[(index + 1) % SIZE] & 0x7fff_ffff);
    let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
    state[index] = state[(index + MIDDLE) % SIZE] ^ (joined >> 1) ^ odd;
    state[index]
}

fn tempered(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c_5680;
    word ^= (word << 15) & 0xefc6_0000;
    word ^ (word >> 18)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the numbers are the same to the last bit or wrong")]
    fn matches_python_random_numbers() {
        for (seed, drawn) in [
            (0, 0.844_421_851_525_048_1),
            (1, 0.134_364_244_112_401_22),
            (-1, 0.134_364_244_112_401_22),
            (42, 0.639_426_798_457_883_7),
            (1 << 40, 0.103_639_456_281_237_5),
        ] {
            assert_eq!(first_random(seed), drawn, "{seed}");
        }
    }
}
