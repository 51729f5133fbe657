//! An agent that is prompts and a model, in native form.

use agentci_plan::{ChatApi, ChatTarget, Connector, KeyHeader, OutputRule, Prompt, REQUEST_TIMEOUT};
use agentci_source::{Node, Pair, print_duration};
use serde_json::{Map, Value};

use super::super::print::Printer;
use crate::chat_context::{TEXTS, default_chat_context, metadata};

impl Printer<'_> {
    pub(super) fn chat(&self, chat: &ChatTarget) -> Node {
        let mut pairs = vec![self.pair("agent", self.text(&chat.agent))];
        if !chat.assistant.about.is_empty() {
            let about = chat.assistant.about.iter().map(|(name, text)| self.pair(name, self.text(text))).collect();
            pairs.push(self.pair("about", self.map(about)));
        }
        pairs.push(self.pair("connector", self.connector(&chat.connector)));
        if !chat.prompts.is_empty() {
            pairs.push(self.pair("prompts", self.list(&chat.prompts, |prompt| self.prompt(prompt))));
        }
        if !chat.assistant.presets.is_empty() {
            let preset = |(name, prompts): &(String, std::sync::Arc<[Prompt]>)| {
                self.pair(name, self.list(prompts, |prompt| self.prompt(prompt)))
            };
            pairs.push(self.pair("presets", self.map(chat.assistant.presets.iter().map(preset).collect())));
        }
        pairs.extend(self.object("options", &chat.options));
        pairs.extend(chat.environment.as_ref().map(|file| self.pair("env", self.path(&file.path))));
        pairs.extend(chat.assistant.script.as_ref().map(|file| self.pair("script", self.path(&file.path))));
        pairs.extend(self.context(&chat.context));
        if chat.timeout != REQUEST_TIMEOUT {
            pairs.push(self.pair("timeout", self.text(&print_duration(chat.timeout))));
        }
        pairs.extend(self.choice("output", chat.output, &OutputRule::NAMES));
        self.map(pairs)
    }

    fn connector(&self, connector: &Connector) -> Node {
        let mut pairs = vec![self.pair("id", self.text(&connector.id))];
        let api = match &connector.api {
            ChatApi::OpenAi => "openai",
            ChatApi::Anthropic => "anthropic",
            ChatApi::Scripted(_) => "mock",
        };
        pairs.push(self.pair("api", self.text(api)));
        if api == "mock" {
            pairs.extend(connector.script.as_ref().map(|path| self.pair("script", self.path(path))));
        } else {
            pairs.push(self.pair("url", self.template(&connector.url.value)));
        }
        pairs.push(self.pair("model", self.template(&connector.model)));
        pairs.extend(connector.key.as_ref().map(|key| self.pair("key", self.template(key))));
        let header =
            connector.key_header.and_then(|header| KeyHeader::NAMES.iter().find(|(_, known)| *known == header));
        pairs.extend(header.map(|(name, _)| self.pair("key_header", self.text(name))));
        pairs.extend(self.object("settings", &connector.settings));
        self.map(pairs)
    }

    fn prompt(&self, prompt: &Prompt) -> Node {
        let mut pairs = vec![self.pair("role", self.text(&prompt.role))];
        pairs.extend(prompt.name.as_ref().map(|name| self.pair("name", self.text(name))));
        pairs.push(self.pair("content", self.text(&prompt.content)));
        if prompt.shared {
            pairs.push(self.pair("shared", self.plain("true")));
        }
        self.map(pairs)
    }

    fn context(&self, context: &Map<String, Value>) -> Option<Pair> {
        let usual = default_chat_context();
        let own = TEXTS.into_iter().filter(|key| context.get(*key) != usual.get(*key));
        let text = |key: &str| Some(self.pair(key, self.text(context.get(key)?.as_str()?)));
        let mut pairs: Vec<Pair> = own.filter_map(text).collect();
        pairs.extend(metadata(context).and_then(|metadata| self.object("metadata", metadata)));
        (!pairs.is_empty()).then(|| self.pair("context", self.map(pairs)))
    }

    fn object(&self, key: &str, map: &Map<String, Value>) -> Option<Pair> {
        let node = || Node::from_value(&Value::Object(map.clone()), self.span);
        (!map.is_empty()).then(|| self.pair(key, node()))
    }
}
