//! Keeps embeddings in memory by service, model and text, since a suite compares the same texts again and again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

/// The most embeddings in memory.
const MOST: usize = 512;

/// A cache of embeddings.
#[derive(Debug, Default)]
pub struct Cache {
    memory: Mutex<CachedVectors>,
}

/// The key of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CacheKey([u8; 32]);

#[derive(Debug, Default)]
struct CachedVectors {
    vectors: HashMap<CacheKey, Arc<[f32]>>,
    /// The keys, the oldest first.
    order: VecDeque<CacheKey>,
}

impl Cache {
    /// Creates a cache that lasts as long as the program.
    pub fn in_memory() -> Self {
        Self::default()
    }

    pub(super) fn get(&self, key: CacheKey) -> Option<Arc<[f32]>> {
        self.memory().vectors.get(&key).map(Arc::clone)
    }

    pub(super) fn put(&self, key: CacheKey, vector: Arc<[f32]>) {
        self.memory().keep(key, vector);
    }

    fn memory(&self) -> MutexGuard<'_, CachedVectors> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedVectors {
    fn keep(&mut self, key: CacheKey, vector: Arc<[f32]>) {
        if self.vectors.insert(key, vector).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.vectors.remove(&oldest);
            }
        }
    }
}

impl CacheKey {
    pub(super) fn new(base_url: &str, model: &str, text: &str) -> Self {
        let mut digest = Sha256::new();
        for part in [base_url, model, text] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Self(digest.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> CacheKey {
        CacheKey::new("http://a", "m", text)
    }

    #[test]
    fn keys_differ_by_service_model_and_text() {
        let keys = [("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("a", "b", "d")];
        let keys: Vec<CacheKey> = keys.iter().map(|(url, model, text)| CacheKey::new(url, model, text)).collect();
        assert!(keys.iter().enumerate().all(|(index, key)| !keys[index + 1..].contains(key)));
    }

    #[test]
    fn memory_cache_is_bounded_and_keeps_newest_entries() {
        let cache = Cache::in_memory();
        for index in 0..MOST + 3 {
            cache.put(key(&index.to_string()), [1.0].into());
        }
        assert_eq!(cache.memory().vectors.len(), MOST);
        assert_eq!(cache.get(key("2")), None);
        assert!(cache.get(key("3")).is_some());
    }
}
