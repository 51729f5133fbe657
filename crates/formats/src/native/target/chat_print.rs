//! Prints `chat` targets in native form.

use agentci_plan::{ChatApi, ChatPrompt, ChatTarget, Connector, KeyHeader, OutputRule, REQUEST_TIMEOUT};
use agentci_source::Node;
use serde_json::{Map, Value};

use crate::chat_context::{TEXTS, default_chat_context, metadata};
use crate::printer::Printer;

impl Printer<'_> {
    pub(super) fn chat(&self, chat: &ChatTarget) -> Node {
        let about = chat.assistant.about.iter().map(|(name, text)| (name, Some(self.text(text))));
        let preset = |prompts: &[ChatPrompt]| prompts.iter().map(|prompt| self.prompt(prompt)).collect();
        let presets = chat.assistant.presets.iter();
        let presets = presets.map(|(name, prompts)| (name, Some(Node::list(self.span, preset(prompts)))));
        self.map([
            ("agent", Some(self.text(&chat.agent))),
            ("about", self.filled_map(about)),
            ("connector", Some(self.connector(&chat.connector))),
            ("prompts", self.list(&chat.prompts, |prompt| self.prompt(prompt))),
            ("presets", self.filled_map(presets)),
            ("options", self.object(&chat.options)),
            ("env", chat.environment.as_ref().map(|file| self.path(&file.path))),
            ("script", chat.assistant.script.as_ref().map(|file| self.path(&file.path))),
            ("context", self.context(&chat.context)),
            ("timeout", self.duration(chat.timeout, REQUEST_TIMEOUT)),
            ("output", self.choice(chat.output, &OutputRule::NAMES)),
        ])
    }

    fn connector(&self, connector: &Connector) -> Node {
        let url = Some(self.template(&connector.url.value));
        let (api, script, url) = match &connector.api {
            ChatApi::OpenAi => ("openai", None, url),
            ChatApi::Anthropic => ("anthropic", None, url),
            ChatApi::Scripted(_) => ("mock", connector.script.as_deref().map(|path| self.path(path)), None),
        };
        self.map([
            ("id", Some(self.text(&connector.id))),
            ("api", Some(self.text(api))),
            ("script", script),
            ("url", url),
            ("model", Some(self.template(&connector.model))),
            ("key", connector.key.as_ref().map(|key| self.template(key))),
            ("key_header", connector.key_header.and_then(|header| self.word(header, &KeyHeader::NAMES))),
            ("settings", self.object(&connector.settings)),
        ])
    }

    fn prompt(&self, prompt: &ChatPrompt) -> Node {
        self.map([
            ("role", Some(self.text(&prompt.role))),
            ("name", prompt.name.as_ref().map(|name| self.text(name))),
            ("content", Some(self.template(&prompt.content))),
            ("shared", self.flag(prompt.shared)),
        ])
    }

    fn context(&self, context: &Map<String, Value>) -> Option<Node> {
        let usual = default_chat_context();
        let own = TEXTS.into_iter().filter(|key| context.get(*key) != usual.get(*key));
        let texts = own.map(|key| (key, context.get(key).and_then(Value::as_str).map(|text| self.text(text))));
        let metadata = metadata(context).and_then(|metadata| self.object(metadata));
        self.filled_map(texts.chain([("metadata", metadata)]))
    }

    /// The mapping, or `None` if it is empty.
    fn object(&self, map: &Map<String, Value>) -> Option<Node> {
        self.filled_map(map.iter().map(|(key, value)| (key, Some(self.value(value)))))
    }
}
