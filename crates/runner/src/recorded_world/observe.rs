//! Converts what a session saw to trace events: model calls with their usage, and tool calls over HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_mock_llm::{SeenCall, WireReader};
use agentci_plan::{Price, RecordedCase};
use agentci_protocols::chat::{ModelAnswer, WireApi};
use agentci_recorder::{
    EndKind, Exchange, PriceTable, ProviderApi, RecordedBody, RecordedRequest, SeenHow, StreamAnswer, TokenPrice,
    model_answer,
};
use agentci_trace::EventKind;
use serde_json::Value;

use super::mcp_streams::{McpAddresses, McpStreams};
use super::tool_exchange;
use crate::{budget::Budget, job::CaseJob};

/// Reads exchanges in the order they end.
pub(super) struct ExchangeReader {
    holds: RecordedCase,
    models: WireReader,
    prices: PriceTable,
    /// The number of exchanges with tools.
    calls: u64,
    mcp: McpAddresses,
    streams: McpStreams,
    budget: Option<Arc<Budget>>,
}

impl ExchangeReader {
    /// A reader for a session with these known MCP addresses.
    pub(super) fn new(job: &CaseJob<'_>, holds: RecordedCase, mcp: McpAddresses) -> Self {
        let models = WireReader::new(true);
        let prices = price_table(&job.run.suite.prices);
        let (streams, budget) = (McpStreams::default(), job.run.options.settings.budget.clone());
        Self { holds, models, prices, calls: 0, mcp, streams, budget }
    }

    /// The trace events of an exchange; none for telemetry and helper requests for models.
    pub(super) fn read(&mut self, exchange: &Exchange, how: SeenHow) -> Vec<EventKind> {
        if exchange.chatter || is_helper(&exchange.request) {
            return Vec::new();
        }
        if let Some(read) = model_answer(exchange) {
            return self.model(read, exchange, how);
        }
        // Played tools are reported by their server, and a miss was not answered by any tool.
        if self.holds == RecordedCase::Model || how == SeenHow::Missed {
            return Vec::new();
        }
        self.mcp.note(exchange);
        if self.mcp.has_stream(&exchange.request) {
            return Vec::new();
        }
        self.calls += 1;
        let fault = if let SeenHow::Spoilt(fault) = how { Some(fault) } else { None };
        let (call, result) = tool_exchange::shown(exchange, format!("http_{}", self.calls), fault).unzip();
        let result = result.flatten().or_else(|| {
            let request = tool_exchange::is_accepted(exchange).then_some(&exchange.request)?;
            self.streams.ask(request, call.as_ref(), fault)
        });
        call.map(EventKind::ToolCall).into_iter().chain(result.map(EventKind::ToolResult)).collect()
    }

    /// The trace event of an MCP server's answer that arrived over a stream.
    pub(super) fn hear(&mut self, answer: &Arc<StreamAnswer>) -> Option<EventKind> {
        if self.holds == RecordedCase::Model {
            return None;
        }
        self.streams.answer(answer).map(EventKind::ToolResult)
    }

    /// Warnings for results that could not be observed.
    pub(super) fn unobserved(&self) -> Vec<String> {
        let tools = self.streams.unanswered().into_iter();
        let words = |tool| {
            format!(
                "the result of `{tool}` was not observed: its MCP server accepted the call, but no stream carried the \
                 answer; checks of this result prove nothing"
            )
        };
        tools.map(words).collect()
    }

    /// The exceeded budget, if no more requests may be sent to the live world.
    pub(super) fn overspent(&self) -> Option<String> {
        self.budget.as_ref()?.exceeded()
    }

    /// The trace events of a model call; also counts its cost.
    fn model(&mut self, (api, answer): (WireApi, ModelAnswer), exchange: &Exchange, how: SeenHow) -> Vec<EventKind> {
        let Exchange { request, response, end, .. } = exchange;
        let nothing = Value::Null;
        let body = if let RecordedBody::Json(body) = &request.body { body } else { &nothing };
        let status = response.as_ref().map_or(0, |response| response.status);
        let model = answer.model.as_deref().or(body["model"].as_str()).unwrap_or_default();
        let cost_usd = answer.usage.and_then(|usage| self.prices.cost(model, &usage));
        if let Some(budget) = self.budget.as_ref().filter(|_| how == SeenHow::Live && (200..300).contains(&status)) {
            budget.spend(model, cost_usd);
        }
        self.models.exchange(&SeenCall {
            api,
            path: &request.path,
            request: body,
            status,
            answer: &answer,
            left: end.how == EndKind::Left,
            started_us: request.at_us,
            first_byte_us: response.as_ref().and_then(|response| response.frames.first()).map(|frame| frame.at_us),
            ended_us: end.at_us,
            cost_usd,
        })
    }
}

/// The prices of a suite: its own take precedence over the built-in ones.
pub(crate) fn price_table(own: &BTreeMap<String, Price>) -> PriceTable {
    let mut table = PriceTable::builtin();
    for (model, Price { input, cached_input, output }) in own {
        let (input, cached_input, output) = (*input, *cached_input, *output);
        table.extend(model, TokenPrice { input, cached_input, cache_write: None, output });
    }
    table
}

/// Whether a request concerns models but does not call one: lists of models, embeddings, token counts.
pub(super) fn is_helper(request: &RecordedRequest) -> bool {
    if request.speaks == Some(ProviderApi::OpenAiEmbeddings) {
        return true;
    }
    let path = request.path.split(['?', '#']).next().expect("a split has a first part").trim_end_matches('/');
    let listed = request.method == "GET" && (path.ends_with("/models") || path.contains("/v1/models/"));
    let counted = ["/count_tokens", "/input_tokens", "/moderations", ":countTokens", "/api/tags", "/api/show"];
    listed || counted.iter().any(|end| path.ends_with(end))
}

/// Whether a request calls a model.
pub(super) fn asks_model(request: &RecordedRequest) -> bool {
    request.speaks.is_some() && !is_helper(request)
}
