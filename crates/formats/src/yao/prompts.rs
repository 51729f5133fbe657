//! Reads prompts: messages at the start of every conversation with an assistant.

use std::path::Path;

use agentci_plan::{ChatPrompt, Text};
use agentci_source::shape::{Kind as Of, Shape, UnknownKeys, optional, required};
use agentci_source::{Diagnostics, FileKind, Files, Node, join, read, yaml};

use super::app::SIZE_LIMIT;
use super::folders;
use crate::document::Loading;

/// Prefix of a file whose text is inserted.
const ASSETS: &str = "@assets/";
/// Replaces the prefix while the YAML is parsed, because a plain scalar must not begin with `@`.
const STAND_IN: &str = "\u{e000}assets/";
const EXTENSIONS: [&str; 5] = ["md", "yml", "yaml", "json", "txt"];

/// A prompts file.
pub(crate) const PROMPTS: Of = Of::Either(&[Of::List(&Of::Shape(&PROMPT)), Of::Nothing]);

static PROMPT: Shape = Shape::new(
    "a prompt",
    "A message at the start of every conversation.",
    &[
        required("role", Of::Name, "Role of the author."),
        required("content", Of::Text, "Content; `@assets/file` is replaced by the content of that file."),
        optional("name", Of::Text, "Name of the author."),
    ],
)
.unknown(UnknownKeys::Warned);

/// The prompts of a file; none if it does not exist. Assets are looked up in `folder`.
pub(super) fn open(path: &Path, folder: &Path, loading: &mut Loading<'_>) -> Vec<ChatPrompt> {
    if loading.files.kind(path) != Some(FileKind::File) {
        return Vec::new();
    }
    let text = loading.read_text(path, SIZE_LIMIT);
    let root = text.and_then(|(file, text)| yaml::parse(&text.replace(ASSETS, STAND_IN), file));
    let Some(root) = loading.report(root) else { return Vec::new() };
    if root.is_null() {
        return Vec::new();
    }
    let files = loading.files;
    read::each(&root, "prompts", loading.problems, |item, problems| prompt(item, files, folder, problems))
}

fn prompt(node: &Node, files: &dyn Files, folder: &Path, problems: &mut Diagnostics) -> Option<ChatPrompt> {
    let mut fields = PROMPT.reader(node, problems)?;
    let role = fields.required("role", read::name);
    let content = fields.required("content", |node, key, problems| Some((read::text(node, key, problems)?, node)));
    let name = fields.text("name");
    fields.finish();
    let (content, at) = content?;
    let content = with_assets(&content, files, folder, &mut |missing| {
        let help = format!("assets are read from `{}`", join(folder, "assets").display());
        problems.warning(at.span, format!("`assets/{missing}` does not exist"), "replaced by nothing").help(help);
    });
    Some(ChatPrompt { role: role?.value, name, content: Text::Literal(content), shared: false })
}

/// Replaces every `@assets/file` by the text of that file, or by nothing if the file does not exist.
fn with_assets(text: &str, files: &dyn Files, folder: &Path, missing: &mut dyn FnMut(&str)) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut pieces = text.split(STAND_IN);
    whole.push_str(pieces.next().expect("a split has a first part"));
    for piece in pieces {
        let end = piece.find(char::is_whitespace).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let known = name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension));
        if !known {
            whole.push_str(ASSETS);
            whole.push_str(piece);
            continue;
        }
        let leads_elsewhere = name.split('/').any(|part| part == "..");
        let path = join(&join(folder, "assets"), name);
        match files.read_text(&path, SIZE_LIMIT).ok().filter(|_| !leads_elsewhere) {
            Some(asset) => whole.push_str(asset.trim_end_matches('\n')),
            None => missing(name),
        }
        whole.push_str(rest);
    }
    whole
}

/// Prompt presets by name: every YAML file below `prompts`, named by its path with dots.
pub(super) fn presets(folder: &Path, loading: &mut Loading<'_>) -> Vec<(String, Vec<ChatPrompt>)> {
    let mut found = Vec::new();
    for (mut names, path) in folders::files_below(loading.files, join(folder, "prompts")) {
        let Some(name) = names.pop() else { continue };
        if let Some(stem) = name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml")) {
            names.push(stem.to_owned());
            found.push((names.join("."), open(&path, folder, loading)));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

#[cfg(test)]
mod tests {
    use agentci_source::{MemoryFiles, Sources};

    use super::*;

    fn prompts(files: &MemoryFiles) -> (Vec<ChatPrompt>, Vec<String>) {
        let mut problems = Diagnostics::default();
        let loading = &mut Loading { files, sources: &mut Sources::default(), problems: &mut problems };
        let prompts = open(Path::new("a/prompts.yml"), Path::new("a"), loading);
        (prompts, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn includes_text_of_referenced_files() {
        let files = MemoryFiles::default()
            .with("a/assets/intro.md", "# Hi: \"there\"\n- two\n")
            .with("secret.md", "no")
            .with(
                "a/prompts.yml",
                "- role: system\n  content: @assets/intro.md\n- role: user\n  name: bob\n  content: |\n    Before\n    @assets/intro.md\n    after @assets/none.txt @assets/../secret.md x@assets/\n",
            );
        let (prompts, problems) = prompts(&files);
        assert_eq!(
            prompts[0],
            ChatPrompt {
                role: "system".into(),
                name: None,
                content: Text::Literal("# Hi: \"there\"\n- two".into()),
                shared: false,
            }
        );
        assert_eq!(prompts[1].name.as_deref(), Some("bob"));
        let second = Text::Literal("Before\n# Hi: \"there\"\n- two\nafter   x@assets/\n".into());
        assert_eq!(prompts[1].content, second);
        assert_eq!(problems, ["`assets/none.txt` does not exist", "`assets/../secret.md` does not exist"]);
    }

    #[test]
    fn presets_are_named_after_their_paths() {
        let files = MemoryFiles::default()
            .with("a/prompts/chat.yml", "- { role: system, content: one }\n")
            .with("a/prompts/task/long.yml", "- { role: system, content: two }\n")
            .with("a/prompts/note.txt", "");
        let (sources, problems) = (&mut Sources::default(), &mut Diagnostics::default());
        let found = presets(Path::new("a"), &mut Loading { files: &files, sources, problems });
        let found: Vec<_> = found.iter().map(|(name, prompts)| (name.as_str(), prompts[0].content.written())).collect();
        assert_eq!(found, [("chat", "one".into()), ("task.long", "two".into())]);
    }

    #[test]
    fn refuses_invalid_prompt_list() {
        for (text, message) in [
            ("role: system\n", "`prompts` must be a list, found a mapping"),
            ("- { role: system }\n", "a prompt needs `content`"),
            ("- { role: system, content: [x] }\n", "`content` must be a string, found a list"),
        ] {
            assert_eq!(prompts(&MemoryFiles::default().with("a/prompts.yml", text)).1, [message]);
        }
        assert_eq!(prompts(&MemoryFiles::default()), (vec![], vec![]));
    }
}
