//! Whether a text holds one of a few words, whatever its letter case, told in a few instructions a letter.

/// Words of at least three letters, all in lower case.
#[derive(Debug)]
pub(super) struct Words {
    words: &'static [&'static str],
    /// A bit for each three letters that one of the words begins with; others may share it.
    beginnings: [u64; SLOTS / 64],
}

/// How many bits there are: so many that text which holds none of the words hardly ever meets one.
const SLOTS: usize = 4096;

impl Words {
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        let mut beginnings = [0; SLOTS / 64];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            assert!(word.len() >= 3, "a word has three letters at least");
            let slot = slot(push(push(push(0, word[0]), word[1]), word[2]));
            beginnings[slot / 64] |= 1 << (slot % 64);
            at += 1;
        }
        Self { words, beginnings }
    }

    /// Whether one of the words stands anywhere in a text.
    pub(super) fn any_in(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let mut last = 0;
        for (at, byte) in text.iter().enumerate() {
            last = push(last, *byte);
            let slot = slot(last);
            if self.beginnings[slot / 64] & (1 << (slot % 64)) != 0 && at >= 2 && self.begins(&text[at - 2..]) {
                return true;
            }
        }
        false
    }

    fn begins(&self, text: &[u8]) -> bool {
        let begins =
            |word: &&str| text.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()));
        self.words.iter().any(begins)
    }
}

/// The last three letters, as if all were small; a few signs become others, which costs a second look at most.
const fn push(last: u32, byte: u8) -> u32 {
    (last >> 8) | ((byte as u32 | 0x20) << 16)
}

const fn slot(last: u32) -> usize {
    (last.wrapping_mul(0x9e37_79b1) >> 20) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOME: Words = Words::new(&["key", "://", "-----end", "sk_"]);

    #[test]
    fn words_are_found_anywhere_in_any_case() {
        for text in ["key", "a KEY", "kekeys", "x://", "-----END", "----------enD ", "ask_", "größe Key"] {
            assert!(SOME.any_in(text), "{text}");
        }
        for text in ["", "k", "ke", "k ey", ":/ /", "-----en", "sk\u{7f}", "SK-", "größe"] {
            assert!(!SOME.any_in(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_is_as_if_looked_for_one_by_one(text in "([kKeEyY:/sS_\u{7f}\u{1a}é-]|end|-----){0,12}") {
            let lower = text.to_ascii_lowercase();
            prop_assert_eq!(SOME.any_in(&text), SOME.words.iter().any(|word| lower.contains(word)));
        }
    }
}
