//! Names of embedders, which measure the semantic similarity of two texts.

/// Whether `name`, a key of thresholds by embedder, refers to the embedder `id`: it is the whole id, or its start up to
/// a `:` or `@`.
pub fn is_meant(id: &str, name: &str) -> bool {
    id.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_name_selects_all_its_models() {
        assert!(is_meant("openai:text-embedding-3-small", "openai"));
        assert!(!is_meant("openai:text-embedding-3-small", "openai:text-embedding-3"));
        assert!(!is_meant("openai:text-embedding-3-small", "builtin"));
    }
}
