//! Room for what most cases do not have: reports keep the ends of all cases, and an empty list takes as much as a short one.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list or a map that is most often empty, and then takes the room of a pointer.
#[derive(Clone)]
pub struct Rarely<T>(Option<Box<T>>);

/// What may be empty.
pub trait Hollow: Default + 'static {
    /// Nothing in it.
    const NOTHING: &'static Self;

    /// Whether nothing is in it.
    fn is_nothing(&self) -> bool;
}

impl<T: 'static> Hollow for Vec<T> {
    const NOTHING: &'static Self = &Vec::new();

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<K: 'static, V: 'static> Hollow for BTreeMap<K, V> {
    const NOTHING: &'static Self = &BTreeMap::new();

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Hollow> Rarely<T> {
    /// Whether nothing is in it.
    pub fn is_nothing(&self) -> bool {
        self.deref().is_nothing()
    }

    /// What is in it.
    pub fn into_inner(self) -> T {
        self.0.map(|full| *full).unwrap_or_default()
    }
}

impl<T: 'static> Rarely<Vec<T>> {
    /// Its items, to be changed.
    #[expect(clippy::iter_without_into_iter, reason = "for a list alone, where others may be maps")]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.as_deref_mut().map(Vec::as_mut_slice).unwrap_or_default().iter_mut()
    }

    /// Its first item, to be changed.
    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.iter_mut().next()
    }

    /// Adds items, if there are any.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        let mut items = items.into_iter();
        if let Some(first) = items.next() {
            let list = self.0.get_or_insert_default();
            list.push(first);
            list.extend(items);
        }
    }

    /// Drops all items.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

impl<T: Hollow> Deref for Rarely<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::NOTHING)
    }
}

impl<T: Hollow> DerefMut for Rarely<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T> Default for Rarely<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Hollow> From<T> for Rarely<T> {
    fn from(inner: T) -> Self {
        Self((!inner.is_nothing()).then(|| Box::new(inner)))
    }
}

impl<T: Hollow + FromIterator<I>, I> FromIterator<I> for Rarely<T> {
    fn from_iter<A: IntoIterator<Item = I>>(items: A) -> Self {
        T::from_iter(items).into()
    }
}

#[expect(clippy::into_iter_without_iter, reason = "what is in it has one of its own")]
impl<'r, T: Hollow> IntoIterator for &'r Rarely<T>
where
    &'r T: IntoIterator,
{
    type Item = <&'r T as IntoIterator>::Item;
    type IntoIter = <&'r T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.deref().into_iter()
    }
}

impl<T: Hollow + fmt::Debug> fmt::Debug for Rarely<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(formatter)
    }
}

impl<T: Hollow + PartialEq> PartialEq for Rarely<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Hollow + Serialize> Serialize for Rarely<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.deref().serialize(serializer)
    }
}

impl<'de, T: Hollow + Deserialize<'de>> Deserialize<'de> for Rarely<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_takes_a_pointer_and_is_written_as_an_empty_list() {
        assert_eq!(size_of::<Rarely<Vec<String>>>(), size_of::<usize>());
        let mut list: Rarely<Vec<u32>> = Vec::new().into();
        assert!(list.is_nothing() && list.0.is_none());
        assert_eq!(serde_json::to_string(&list).unwrap(), "[]");
        list.push(7);
        assert_eq!(serde_json::to_string(&list).unwrap(), "[7]");
        assert_eq!(serde_json::from_str::<Rarely<Vec<u32>>>("[7]").unwrap(), list);
        assert!(serde_json::from_str::<Rarely<Vec<u32>>>("[]").unwrap().0.is_none());
        list.iter_mut().for_each(|item| *item += 1);
        assert_eq!(list.first_mut(), Some(&mut 8));
        list.clear();
        assert_eq!(list, Rarely::default());
        list.extend([]);
        assert!(list.first_mut().is_none() && list.0.is_none());
        list.extend([1, 2]);
        assert_eq!(*list, [1, 2]);
        list.clear();
        assert!(list.into_inner().is_empty());
    }
}
