// The official `@anthropic-ai/sdk` package for Node against the scripted model.

import assert from "node:assert/strict";
import { load, main, serve } from "./harness.mjs";

const { default: Anthropic } = load("@anthropic-ai/sdk");
const HELLO = 'Hello, my friend! Äöü 🎈 "quoted"';

const client = (server, options = {}) =>
  new Anthropic({ baseURL: server.anthropic, apiKey: "sk-any", maxRetries: 0, timeout: 10_000, ...options });
const said = (text) => [{ role: "user", content: text }];
const asking = (messages) => ({ model: "claude-test", max_tokens: 100, messages });
const ask = (server, text, options) => client(server, options).messages.create(asking(said(text)));

await main({
  async plain(server) {
    const answer = await ask(server, "hello");
    assert.equal(answer.content[0].text, HELLO);
    assert.equal(answer.stop_reason, "end_turn");
    assert.match(answer._request_id, /^req_/);
  },

  async streaming(server) {
    const stream = client(server).messages.stream(asking(said("hello")));
    let text = "";
    stream.on("text", (delta) => (text += delta));
    const final = await stream.finalMessage();
    assert.equal(text, HELLO);
    assert.equal(final.content[0].text, HELLO);
    assert.ok(final.usage.output_tokens > 1);
  },

  async "tool call round trip"(server) {
    const messages = said("what is the weather?");
    const first = await client(server).messages.create(asking(messages));
    const call = first.content[0];
    assert.deepEqual(call.input, { city: "Paris", days: 2 });
    messages.push({ role: "assistant", content: first.content });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "rain" }] });
    const second = await client(server).messages.create(asking(messages));
    assert.equal(second.content[0].text, "It rains in Paris.");
    assert.equal((await server.journal())[1].tool_results[0].content, "rain");
  },

  async "streamed tool calls"(server) {
    const final = await client(server).messages.stream(asking(said("two tools"))).finalMessage();
    assert.equal(final.content[0].text, "Let me see.");
    assert.deepEqual(final.content.slice(1).map((block) => block.input), [{ city: "Paris" }, { zone: "Europe/Paris" }]);
  },

  async "errors have their classes"(server) {
    for (const [text, kind, status] of [
      ["rate limit", Anthropic.RateLimitError, 429],
      ["server error", Anthropic.InternalServerError, 500],
      ["bad request", Anthropic.BadRequestError, 400],
      ["not found", Anthropic.NotFoundError, 404],
      ["forbidden", Anthropic.PermissionDeniedError, 403],
      ["nothing of the kind", Anthropic.BadRequestError, 400],
    ]) {
      const error = await ask(server, text).then(() => assert.fail(text), (error) => error);
      assert.equal(error.constructor, kind, text);
      assert.equal(error.status, status);
      assert.match(error.requestID, /^req_/);
    }
    await assert.rejects(ask(server, "silence", { timeout: 300 }), Anthropic.APIConnectionTimeoutError);
    await assert.rejects(ask(server, "break off"));
  },

  async "a key that is wanted"() {
    const server = await serve("locked.yaml");
    try {
      await assert.rejects(ask(server, "x"), Anthropic.AuthenticationError);
      assert.equal((await ask(server, "x", { apiKey: "sk-right" })).content[0].text, "Welcome.");
    } finally {
      await server.stop();
    }
  },

  async "retries are honoured"(server) {
    const start = performance.now();
    assert.equal((await ask(server, "retry me", { maxRetries: 2 })).content[0].text, "Here you are.");
    assert.ok(performance.now() - start >= 300);
    assert.equal((await ask(server, "overload me", { maxRetries: 2 })).content[0].text, "Back again.");
    assert.deepEqual((await server.journal()).map((entry) => entry.status), [429, 200, 529, 200]);
  },
});
