//! Azure's addresses for OpenAI's APIs: `/openai/deployments/{name}/chat/completions?api-version=..`,
//! `/openai/responses` and `/openai/v1/..`. The deployment is the model, whatever the body says.

/// The path without Azure's prefix. Node.js clients that find `OPENAI_BASE_URL` omit `/openai`.
pub(in super::super) fn short(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("/deployments/") {
        let (_, rest) = rest.split_once('/')?;
        return path.get(path.len() - rest.len() - 1..);
    }
    path.strip_prefix("/openai").filter(|rest| rest.starts_with('/'))
}

/// Whether a path is one of Azure's.
pub(in super::super) fn is_own(path: &str) -> bool {
    path.starts_with("/openai/") || path.contains("/deployments/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_the_deployment_from_the_path() {
        assert_eq!(short("/openai/deployments/a/chat/completions"), Some("/deployments/a/chat/completions"));
        assert_eq!(short("/deployments/a/chat/completions"), Some("/chat/completions"));
        assert_eq!(short("/deployments//x"), Some("/x"));
        assert_eq!([short("/deployments/a"), short("/openaix"), short("/chat/completions")], [None; 3]);
    }
}
