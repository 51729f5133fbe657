//! Caches embeddings by service, model and text: in memory, and in a folder if there is one.
//!
//! In the folder, every text has a file, named by a digest, that contains
//! `{"embedder": "openai:...", "vector": [...]}`, but not the text. Files that cannot be read, are invalid or cannot be
//! written are ignored: a cache must not make a run fail.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::answer::check;

/// The most embeddings in memory.
const MOST: usize = 512;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A cache of embeddings.
#[derive(Debug, Default)]
pub struct Cache {
    memory: Mutex<Memory>,
    folder: Option<PathBuf>,
}

/// The key of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CacheKey([u8; 32]);

#[derive(Debug, Default)]
struct Memory {
    vectors: HashMap<CacheKey, Arc<[f32]>>,
    /// The keys, the oldest first.
    order: VecDeque<CacheKey>,
}

impl Cache {
    /// Creates a cache that lasts as long as the program.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Creates a cache that also stores embeddings in a folder, which is created if it does not exist.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        fs_err::create_dir_all(folder)?;
        Ok(Self { memory: Mutex::default(), folder: Some(folder.to_path_buf()) })
    }

    pub(super) fn get(&self, key: CacheKey, embedder: &str) -> Option<Arc<[f32]>> {
        if let Some(vector) = self.memory().vectors.get(&key) {
            return Some(Arc::clone(vector));
        }
        let vector: Arc<[f32]> = read(&self.file(key)?, embedder)?.into();
        self.memory().keep(key, Arc::clone(&vector));
        Some(vector)
    }

    pub(super) fn put(&self, key: CacheKey, embedder: &str, vector: Arc<[f32]>) {
        if let Some(file) = self.file(key) {
            let _ = write(&file, embedder, &vector);
        }
        self.memory().keep(key, vector);
    }

    fn file(&self, key: CacheKey) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.json", key.hex())))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
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

    fn hex(self) -> String {
        self.0
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .filter_map(|half| char::from_digit(half.into(), 16))
            .collect()
    }
}

fn read(file: &Path, embedder: &str) -> Option<Vec<f32>> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    let entry: Value = serde_json::from_slice(&bytes).ok()?;
    let values = entry["vector"].as_array().filter(|_| entry["embedder"] == embedder)?;
    #[expect(clippy::cast_possible_truncation, reason = "floats were written")]
    let vector: Vec<f32> =
        values.iter().map(|value| value.as_f64().map(|value| value as f32)).collect::<Option<_>>()?;
    check(&vector, vector.len()).ok()?;
    Some(vector)
}

/// Writes a temporary file and renames it, so that no reader sees half of it.
fn write(file: &Path, embedder: &str, vector: &[f32]) -> io::Result<()> {
    let draft = file.with_extension(format!("{}.tmp", std::process::id()));
    fs_err::write(&draft, json!({ "embedder": embedder, "vector": vector }).to_string())?;
    fs_err::rename(draft, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "openai:m";

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
    fn folder_cache_persists_across_instances() {
        let folder = tempfile::tempdir().unwrap();
        let deeper = folder.path().join("a/b");
        let vector: Arc<[f32]> = [0.1, -1e-20, 3.0].into();
        Cache::in_folder(&deeper).unwrap().put(key("x"), ID, Arc::clone(&vector));
        let other = Cache::in_folder(&deeper).unwrap();
        assert_eq!(other.get(key("x"), ID), Some(vector));
        assert_eq!(other.get(key("y"), ID), None);
    }

    #[test]
    fn ignores_invalid_cache_files() {
        let folder = tempfile::tempdir().unwrap();
        let large = format!(r#"{{"embedder":"openai:m","vector":[1{}]}}"#, " ".repeat(1 << 20));
        for text in [
            "",
            "{",
            r#"{"embedder":"openai:other","vector":[1]}"#,
            r#"{"embedder":"openai:m","vector":[]}"#,
            r#"{"embedder":"openai:m","vector":[1,"2"]}"#,
            r#"{"embedder":"openai:m","vector":[1e99]}"#,
            &large,
        ] {
            let cache = Cache::in_folder(folder.path()).unwrap();
            fs_err::write(cache.file(key("x")).unwrap(), text).unwrap();
            assert_eq!(cache.get(key("x"), ID), None, "{text}");
        }
    }

    #[test]
    fn memory_cache_is_bounded_and_keeps_newest_entries() {
        let cache = Cache::in_memory();
        for index in 0..MOST + 3 {
            cache.put(key(&index.to_string()), ID, [1.0].into());
        }
        assert_eq!(cache.memory().vectors.len(), MOST);
        assert_eq!(cache.get(key("2"), ID), None);
        assert!(cache.get(key("3"), ID).is_some());
    }
}
