//! Keys that were met a moment ago: cases of a suite have the same keys, and one text is enough for all of them.

use crate::Name;

/// How many are remembered. A suite has a few dozen; one that comes to the place of another takes it.
const PLACES: usize = 64;

/// The keys that were met last.
pub(crate) struct Names([Option<Name>; PLACES]);

impl Default for Names {
    fn default() -> Self {
        Self([const { None }; PLACES])
    }
}

impl Names {
    /// A key, with the text that others of the same name have.
    pub(crate) fn of(&mut self, text: &str) -> Name {
        let edge = |byte: Option<&u8>| usize::from(*byte.unwrap_or(&0));
        let bytes = text.as_bytes();
        let place = (bytes.len() * 7 + edge(bytes.first()) * 5 + edge(bytes.last())) % PLACES;
        match self.0.get_mut(place) {
            Some(Some(known)) if known == text => known.clone(),
            Some(other) => other.insert(text.into()).clone(),
            None => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_is_the_same_text_and_another_in_its_place_is_itself() {
        let mut names = Names::default();
        let (first, again) = (names.of("input"), names.of("input"));
        assert!(std::ptr::eq(first.as_str(), again.as_str()));
        // Length, first and last letter are the same.
        assert_eq!(names.of("ixxxt"), "ixxxt");
        assert_eq!((names.of("input"), names.of(""), first), ("input".into(), "".into(), "input".into()));
    }
}
