// The official `openai` package for Node against the scripted model.

import assert from "node:assert/strict";
import { load, main, serve } from "./harness.mjs";

const { default: OpenAI } = load("openai");
const HELLO = 'Hello, my friend! Äöü 🎈 "quoted"';

const client = (server, options = {}) =>
  new OpenAI({ baseURL: server.openai, apiKey: "sk-any", maxRetries: 0, timeout: 10_000, ...options });
const said = (text) => [{ role: "user", content: text }];
const chat = (server, text, options) =>
  client(server, options).chat.completions.create({ model: "gpt-4o", messages: said(text) });

await main({
  async plain(server) {
    const answer = await chat(server, "hello");
    assert.equal(answer.choices[0].message.content, HELLO);
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.match(answer._request_id, /^req_/);
  },

  async streaming(server) {
    const stream = await client(server).chat.completions.create({
      model: "gpt-4o", messages: said("hello"), stream: true, stream_options: { include_usage: true },
    });
    let text = "";
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta?.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, HELLO);
    assert.ok(usage.completion_tokens > 0);
  },

  async "tool call round trip"(server) {
    const messages = said("what is the weather?");
    const first = await client(server).chat.completions.create({ model: "gpt-4o", messages });
    const call = first.choices[0].message.tool_calls[0];
    assert.deepEqual(JSON.parse(call.function.arguments), { city: "Paris", days: 2 });
    messages.push(first.choices[0].message, { role: "tool", tool_call_id: call.id, content: "rain" });
    const second = await client(server).chat.completions.create({ model: "gpt-4o", messages });
    assert.equal(second.choices[0].message.content, "It rains in Paris.");
    assert.equal((await server.journal())[1].tool_results[0].content, "rain");
  },

  async "streamed tool calls"(server) {
    const stream = client(server).chat.completions.stream({ model: "gpt-4o", messages: said("two tools") });
    const final = await stream.finalChatCompletion();
    const calls = final.choices[0].message.tool_calls.map((call) => [call.function.name, call.function.arguments]);
    assert.deepEqual(calls, [["get_weather", '{"city":"Paris"}'], ["get_time", '{"zone":"Europe/Paris"}']]);
  },

  async responses(server) {
    const api = client(server);
    assert.equal((await api.responses.create({ model: "gpt-4o", input: "hello" })).output_text, HELLO);
    const first = await api.responses.create({ model: "gpt-4o", input: "the weather?" });
    const output = [{ type: "function_call_output", call_id: first.output[0].call_id, output: "rain" }];
    const next = { model: "gpt-4o", previous_response_id: first.id, input: output };
    assert.equal((await api.responses.create(next)).output_text, "It rains in Paris.");
  },

  async "streamed responses"(server) {
    const stream = client(server).responses.stream({ model: "gpt-4o", input: "two tools" });
    const kinds = [];
    for await (const event of stream) kinds.push(event.type);
    const final = await stream.finalResponse();
    assert.equal(kinds[0], "response.created");
    assert.ok(kinds.includes("response.function_call_arguments.done"));
    assert.equal(final.output_text, "Let me see.");
    assert.equal(final.output.filter((item) => item.type === "function_call").length, 2);
  },

  async embeddings(server) {
    const packed = await client(server).embeddings.create({ model: "e", input: ["a", "b", "a"] });
    assert.deepEqual(packed.data.map((item) => item.embedding.length), [1536, 1536, 1536]);
    assert.deepEqual(packed.data[0].embedding, packed.data[2].embedding);
    const plain = await client(server).embeddings.create({ model: "e", input: "a", encoding_format: "float", dimensions: 8 });
    assert.equal(plain.data[0].embedding.length, 8);
  },

  async models(server) {
    const names = [];
    for await (const model of client(server).models.list()) names.push(model.id);
    assert.deepEqual(names, ["gpt-test"]);
    await assert.rejects(client(server).models.retrieve("none"), OpenAI.NotFoundError);
  },

  async "errors have their classes"(server) {
    for (const [text, kind, status] of [
      ["rate limit", OpenAI.RateLimitError, 429],
      ["server error", OpenAI.InternalServerError, 500],
      ["bad request", OpenAI.BadRequestError, 400],
      ["not found", OpenAI.NotFoundError, 404],
      ["forbidden", OpenAI.PermissionDeniedError, 403],
      ["nothing of the kind", OpenAI.BadRequestError, 400],
    ]) {
      const error = await chat(server, text).then(() => assert.fail(text), (error) => error);
      assert.equal(error.constructor, kind, text);
      assert.equal(error.status, status);
      assert.match(error.requestID, /^req_/);
    }
    await assert.rejects(chat(server, "silence", { timeout: 300 }), OpenAI.APIConnectionTimeoutError);
    await assert.rejects(chat(server, "break off"));
  },

  async "a key that is wanted"() {
    const server = await serve("locked.yaml");
    try {
      await assert.rejects(chat(server, "x"), OpenAI.AuthenticationError);
      assert.equal((await chat(server, "x", { apiKey: "sk-right" })).choices[0].message.content, "Welcome.");
    } finally {
      await server.stop();
    }
  },

  async "retries are honoured"(server) {
    const start = performance.now();
    const answer = await chat(server, "retry me", { maxRetries: 2 });
    assert.equal(answer.choices[0].message.content, "Here you are.");
    assert.ok(performance.now() - start >= 300);
    assert.deepEqual((await server.journal()).map((entry) => entry.status), [429, 200]);
  },
});
