//! Reads the whole file.

use std::path::Path;

use agentci_plan::mcp_script::McpScript;
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Files, Node, Pair, Reader, Reading, Sources, Spanned, read};
use serde_json::{Map, Value};

use super::prompt::{PROMPT, prompt};
use super::resource::{RESOURCE, resource};
use super::tool::{TOOL, tool};
use crate::document;

/// The whole script.
pub(crate) static SCRIPT: Shape = Shape::new(
    "the script of an MCP server",
    "The tools, resources and prompts of a scripted MCP server.",
    &[
        optional("server", Kind::Shape(&SERVER), "Name, version and instructions of the server."),
        optional("tools", Kind::FilledMap(&Kind::Shape(&TOOL)), "Its tools, by name."),
        optional("resources", Kind::FilledMap(&Kind::Shape(&RESOURCE)), "Its resources, by URI or URI template."),
        optional("prompts", Kind::FilledMap(&Kind::Shape(&PROMPT)), "Its prompts, by name."),
        optional("page", Kind::Count(1), "Entries per page of a list. Default: all entries on one page."),
    ],
)
.rules(&[KeyRule::Some(&["tools", "resources", "prompts"])]);

static SERVER: Shape = Shape::new(
    "`server`",
    "Name, version and instructions of the server.",
    &[
        optional("name", Kind::Name, "Its name. Default: the file name up to the first `.`."),
        optional("version", Kind::Name, "Its version. Default: `0`."),
        optional("instructions", Kind::Text, "Instructions for its use."),
    ],
);

/// Reads the script of an MCP server. Adds its text to `sources`, so that problems can be shown in context.
pub fn load_mcp_script(files: &dyn Files, sources: &mut Sources, path: &Path) -> Result<McpScript, Diagnostics> {
    let root = document::open(files, sources, path, document::SIZE_LIMIT)?;
    let mut problems = Diagnostics::default();
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let script = script(&root, name.unwrap_or_default(), &mut problems);
    problems.sort();
    script.filter(|_| !problems.has_errors()).ok_or(problems)
}

fn script(root: &Node, name: &str, problems: &mut Diagnostics) -> Option<McpScript> {
    SCRIPT.read(root, problems, |fields| {
        let mut script = McpScript { name: name.to_owned(), version: "0".to_owned(), ..McpScript::default() };
        if let Some(node) = fields.node("server") {
            server(node, &mut script, fields.problems);
        }
        script.tools = fields.or_default("tools", |node, problems| named(node, "tools", problems, tool));
        script.resources =
            fields.or_default("resources", |node, problems| named(node, "resources", problems, resource));
        script.prompts = fields.or_default("prompts", |node, problems| named(node, "prompts", problems, prompt));
        if ["tools", "resources", "prompts"].into_iter().all(|key| fields.node(key).is_none()) {
            let message = "the script has neither `tools` nor `resources` nor `prompts`";
            let help = "add a tool: `tools: { find_order: { answers: { reply: found } } }`";
            fields.problems.error(root.span, message, "the server has nothing to offer").help(help);
        }
        script.page = fields.count("page", 1).and_then(|page| usize::try_from(page).ok());
        Some(script)
    })
}

fn server(node: &Node, script: &mut McpScript, problems: &mut Diagnostics) -> Option<()> {
    SERVER.read(node, problems, |fields| {
        script.name = fields.name("name").unwrap_or_else(|| script.name.clone());
        script.version = fields.name("version").unwrap_or_else(|| script.version.clone());
        script.instructions = fields.text("instructions");
        Some(())
    })
}

/// Reads the values of a mapping from names, in order.
fn named<T>(
    node: &Node,
    key: &str,
    problems: &mut Diagnostics,
    read: impl Fn(Spanned<String>, &Node, &mut Diagnostics) -> Option<T>,
) -> Vec<T> {
    let pairs = pairs(node, key, problems);
    let one = |pair: &Pair| read(Spanned::new(pair.key.text.to_string(), pair.key.span), &pair.value, problems);
    pairs.iter().filter_map(one).collect()
}

/// The pairs of a mapping, which must not be empty.
pub(super) fn pairs<'n>(node: &'n Node, key: &str, problems: &mut Diagnostics) -> &'n [Pair] {
    let found = node.pairs().filter(|pairs| !pairs.is_empty());
    if found.is_none() {
        problems.mismatch(node, format_args!("`{key}` must be a non-empty mapping"), "expected `name: { .. }` lines");
    }
    found.unwrap_or_default()
}

/// Reads a list entry, whose keys are the protocol's own.
pub(super) fn declared(fields: &mut Reader<'_, '_>, keys: &[&'static str]) -> Map<String, Value> {
    let mut declared = Map::new();
    for key in keys {
        let value = fields.optional(key, |node, key, problems| read::data(node, key, Reading::Core, problems));
        declared.extend(value.map(|value| ((*key).to_owned(), value)));
    }
    declared
}

/// Reads the completions of arguments or template variables, by name.
pub(super) fn complete(node: &Node, problems: &mut Diagnostics) -> Vec<(String, Vec<String>)> {
    let pairs = pairs(node, "complete", problems);
    let one = |pair: &Pair| {
        let values = read::texts(&pair.value, "complete", problems)?;
        Some((pair.key.text.to_string(), values.into_iter().map(|value| value.value).collect()))
    };
    pairs.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agentci_plan::Data;
    use agentci_plan::mcp_script::{AnswerStep, CallOutcome, LogLevel, QuestionKind, ResourceContent, ToolAnswer};
    use agentci_source::MemoryFiles;
    use serde_json::json;

    use super::*;

    fn load(text: &str) -> Result<McpScript, Vec<String>> {
        let files = MemoryFiles::default().with("shop/orders.mcp.yaml", text);
        let mut sources = Sources::default();
        load_mcp_script(&files, &mut sources, Path::new("shop/orders.mcp.yaml")).map_err(|problems| {
            let told = problems.iter().map(|problem| {
                let place = problem.place(&sources);
                format!("{}:{} {}", place.line, place.column, problem.message)
            });
            told.collect()
        })
    }

    fn answers(answers: &str) -> Vec<ToolAnswer> {
        load(&format!("tools: {{ t: {{ answers: {answers} }} }}")).unwrap().tools.remove(0).answers
    }

    fn outcome(answer: &str) -> CallOutcome {
        answers(answer).remove(0).outcome
    }

    #[test]
    fn server_name_defaults_to_the_file_name() {
        let plain = load("tools: { t: { answers: { reply: hi } } }").unwrap();
        assert_eq!((plain.name.as_str(), plain.version.as_str(), plain.instructions), ("orders", "0", None));
        let named =
            load("server: { name: shop, version: '2', instructions: Be brief. }\nresources: { 'a://b': { text: c } }");
        let named = named.unwrap();
        assert_eq!((named.name.as_str(), named.version.as_str()), ("shop", "2"));
        assert_eq!(named.instructions.as_deref(), Some("Be brief."));
    }

    #[test]
    fn keeps_declared_tool_fields_unchanged() {
        let tool = "title: Find, inputSchema: { type: object, required: [id] }, annotations: { readOnlyHint: true }";
        let script = load(&format!("tools: {{ find: {{ {tool}, answers: {{ reply: hi }} }} }}")).unwrap();
        assert_eq!(script.tools[0].name.value, "find");
        assert_eq!(
            Value::Object(script.tools[0].declared.clone()),
            json!({ "title": "Find", "inputSchema": { "type": "object", "required": ["id"] }, "annotations": { "readOnlyHint": true } })
        );
        let bare = load("tools: { find: { answers: { reply: hi } } }").unwrap();
        assert_eq!(bare.tools[0].declared["inputSchema"], json!({ "type": "object" }));
    }

    #[test]
    fn answer_has_one_of_four_outcomes() {
        assert_eq!(outcome("{ reply: hi }"), CallOutcome::Reply(Data::literal(&json!("hi"))));
        assert_eq!(outcome("{ reply: }"), CallOutcome::Reply(Data::literal(&Value::Null)));
        assert_eq!(outcome("{ reply: { a: [1] } }"), CallOutcome::Reply(Data::literal(&json!({ "a": [1] }))));
        assert_eq!(outcome("{ error: 'no ${INPUT.id}' }"), CallOutcome::Error(Data::parse(&json!("no ${INPUT.id}"))));
        assert_eq!(
            outcome("{ result: { content: [] } }"),
            CallOutcome::Result(Data::literal(&json!({ "content": [] })))
        );
        let failure = CallOutcome::Failure { code: -32000, message: "busy".into() };
        assert_eq!(outcome("{ fail: { code: -32000, message: busy } }"), failure);
    }

    #[test]
    fn reads_conditions_and_steps_of_answers() {
        let all = "[{ when: { id: A-17 }, steps: [{ wait: 50ms }, { log: begun }, { log: { level: error, data: { a: 1 } } }, \
                   { progress: { progress: 1, total: 2 } }, { ask: { who: { elicit: { message: Who? } }, where: { roots: true } } }, \
                   { close: true }], reply: hi }, { reply: else }]";
        let answers = answers(all);
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0].when, Some(json!({ "id": "A-17" })));
        let [wait, begun, wrong, progress, ask, close] = answers[0].steps.as_slice() else { panic!("{answers:?}") };
        assert_eq!(*wait, AnswerStep::Wait(Duration::from_millis(50)));
        assert_eq!(*begun, AnswerStep::Log { level: LogLevel::Info, data: Data::literal(&json!("begun")) });
        assert_eq!(*wrong, AnswerStep::Log { level: LogLevel::Error, data: Data::literal(&json!({ "a": 1 })) });
        assert_eq!(*progress, AnswerStep::Progress { progress: 1.0, total: Some(2.0), message: None });
        let AnswerStep::Ask(questions) = ask else { panic!("{ask:?}") };
        let kinds: Vec<_> = questions.iter().map(|question| (question.name.as_str(), question.kind)).collect();
        assert_eq!(kinds, [("who", QuestionKind::Elicit), ("where", QuestionKind::Roots)]);
        assert_eq!(*close, AnswerStep::Close);
    }

    #[test]
    fn reads_resources_and_prompts() {
        let text = "resources:\n  'shop://terms': { mimeType: text/plain, text: No returns. }\n  \
                    'shop://orders/{id}': { blob: AAAA, complete: { id: [A-17] } }\n\
                    prompts:\n  refund: { arguments: [{ name: id, required: true }], messages: [{ user: 'Refund ${INPUT.id}' }, \
                    { assistant: { type: text, text: Done } }] }\npage: 2";
        let script = load(text).unwrap();
        assert_eq!(script.page, Some(2));
        assert!(!script.resources[0].is_template() && script.resources[1].is_template());
        assert_eq!(script.resources[0].declared["name"], "shop://terms");
        assert_eq!(script.resources[1].holds, ResourceContent::Blob("AAAA".into()));
        assert_eq!(script.resources[1].complete, [("id".to_owned(), vec!["A-17".to_owned()])]);
        let prompt = &script.prompts[0];
        assert_eq!(prompt.required().collect::<Vec<_>>(), ["id"]);
        assert_eq!(
            prompt.messages.written(),
            json!([
                { "role": "user", "content": { "type": "text", "text": "Refund ${INPUT.id}" } },
                { "role": "assistant", "content": { "type": "text", "text": "Done" } },
            ])
        );
    }

    #[test]
    fn reports_problems_with_their_location() {
        for (text, told) in [
            ("server: { name: a }", "1:1 the script has neither `tools` nor `resources` nor `prompts`"),
            ("tools: { t: { description: a } }", "1:13 a tool needs `answers`"),
            (
                "tools: { t: { answers: { reply: a, error: b } } }",
                "1:24 an answer needs exactly one of `reply`, `error`, `result` and `fail`",
            ),
            (
                "tools: { t: { answers: { steps: [] } } }",
                "1:24 an answer needs exactly one of `reply`, `error`, `result` and `fail`",
            ),
            (
                "tools: { t: { inputSchema: { type: string }, answers: { reply: a } } }",
                "1:28 `inputSchema` of the tool `t` must have `type: object`",
            ),
            (
                "tools: { t: { answers: { steps: [{ wait: 1s, log: a }], reply: a } } }",
                "1:34 a step needs exactly one of `wait`, `log`, `progress`, `ask` and `close`",
            ),
            ("tools: [find_order]", "1:8 `tools` must be a non-empty mapping, found a list"),
            ("tools: { t: { answers: [], description: a } }", "1:24 `answers` must not be empty"),
            ("tools: { t: { answer: { reply: a } } }", "1:15 unknown key `answer` in a tool"),
            ("resources: { 'a://b': { mimeType: a } }", "1:23 a resource needs either `text` or `blob`"),
            ("prompts: { p: { messages: [{ usr: a }] } }", "1:30 unknown key `usr` in a message"),
            (
                "tools: { t: { answers: { steps: [{ log: { level: loud, data: a } }], reply: a } } }",
                "1:50 `level` must be one of `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert`, `emergency`, found the string `loud`",
            ),
        ] {
            assert_eq!(load(text).unwrap_err(), [told], "{text}");
        }
    }
}
