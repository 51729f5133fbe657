// Official clients of Azure OpenAI and Gemini against the scripted model.

import assert from "node:assert/strict";

import { load, main, serve } from "./harness.mjs";

const { AzureOpenAI, OpenAI } = load("openai");
const { ApiError, GoogleGenAI } = load("@google/genai");

const HELLO = 'Hello, my friend! Äöü 🎈 "quoted"';
const said = (text) => [{ role: "user", content: text }];
const schema = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
const WEATHER = { city: "Paris", days: 2 };

function azure(server, options = {}) {
  return new AzureOpenAI({ endpoint: server.azure, apiKey: "key", apiVersion: "2024-10-21", maxRetries: 0, ...options });
}

function gemini(server, options = {}) {
  return new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.gemini, ...options } });
}

async function troubles(server) {
  return (await server.journal()).flatMap((entry) => entry.troubles.map((trouble) => trouble.kind));
}

await main({
  async "azure: plain, streamed, by deployment"(server) {
    const answer = await azure(server).chat.completions.create({ model: "our-gpt", messages: said("hello") });
    assert.deepEqual([answer.choices[0].message.content, answer.model], [HELLO, "our-gpt"]);
    const other = azure(server, { deployment: "prod" });
    const stream = other.chat.completions.stream({ model: "gpt-4o", messages: said("hello") });
    assert.equal((await stream.finalChatCompletion()).model, "prod");
    const paths = (await server.journal()).map((entry) => entry.path);
    assert.deepEqual(paths, ["our-gpt", "prod"].map((name) => `/openai/deployments/${name}/chat/completions`));
    assert.deepEqual(await troubles(server), []);
  },

  async "azure: tools, responses, embeddings"(server) {
    const api = azure(server);
    const tools = [{ type: "function", function: { name: "get_weather", parameters: schema } }];
    const messages = said("what is the weather?");
    const first = await api.chat.completions.create({ model: "our-gpt", messages, tools });
    const call = first.choices[0].message.tool_calls[0];
    assert.deepEqual(JSON.parse(call.function.arguments), WEATHER);
    messages.push(first.choices[0].message, { role: "tool", tool_call_id: call.id, content: "rain" });
    const second = await api.chat.completions.create({ model: "our-gpt", messages, tools });
    assert.equal(second.choices[0].message.content, "It rains in Paris.");
    assert.equal((await api.responses.create({ model: "our-gpt", input: "hello" })).output_text, HELLO);
    assert.equal((await api.embeddings.create({ model: "e", input: ["a", "b"] })).data.length, 2);
    assert.deepEqual(await troubles(server), []);
  },

  async "azure: the address of OpenAI leads there, too"(server) {
    // The Azure client uses OPENAI_BASE_URL if it is set, and then rejects an endpoint; an empty value counts as unset.
    process.env.OPENAI_BASE_URL = server.openai;
    try {
      const api = new AzureOpenAI({ apiKey: "key", apiVersion: "2024-10-21" });
      assert.equal((await api.chat.completions.create({ model: "our-gpt", messages: said("hello") })).model, "our-gpt");
      assert.throws(() => azure(server), /mutually exclusive/);
      process.env.OPENAI_BASE_URL = "";
      assert.equal((await azure(server).chat.completions.create({ model: "m", messages: said("hello") })).model, "m");
    } finally {
      delete process.env.OPENAI_BASE_URL;
    }
    assert.deepEqual(await troubles(server), []);
  },

  async "azure: keys"() {
    const server = await serve("locked.yaml");
    try {
      const ask = (apiKey) => azure(server, { apiKey }).chat.completions.create({ model: "m", messages: said("x") });
      await assert.rejects(ask("wrong"), OpenAI.AuthenticationError);
      assert.equal((await ask("sk-right")).choices[0].message.content, "Welcome.");
    } finally {
      await server.stop();
    }
  },

  async "gemini: plain and streamed"(server) {
    for (const apiVersion of ["v1beta", "v1"]) {
      const api = gemini(server, { apiVersion });
      const answer = await api.models.generateContent({ model: "gemini-2.5-flash", contents: "hello" });
      assert.deepEqual([answer.text, answer.candidates[0].finishReason], [HELLO, "STOP"]);
      let text = "";
      for await (const chunk of await api.models.generateContentStream({ model: "gemini-2.5-flash", contents: "hello" })) {
        text += chunk.text;
      }
      assert.equal(text, HELLO);
    }
    assert.deepEqual(await troubles(server), []);
  },

  async "gemini: functions"(server) {
    const tools = [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] }];
    for (const stream of [false, true]) {
      const chat = gemini(server).chats.create({ model: "gemini-2.5-flash", config: { tools, systemInstruction: "Be brief." } });
      let calls = [];
      if (stream) {
        for await (const chunk of await chat.sendMessageStream({ message: "what is the weather?" })) calls.push(...(chunk.functionCalls ?? []));
      } else {
        calls = (await chat.sendMessage({ message: "what is the weather?" })).functionCalls;
      }
      assert.deepEqual(calls.map((call) => [call.name, call.args]), [["get_weather", WEATHER]]);
      const functionResponse = { id: calls[0].id, name: "get_weather", response: { output: "rain" } };
      assert.equal((await chat.sendMessage({ message: { functionResponse } })).text, "It rains in Paris.");
    }
    const entries = await server.journal();
    assert.equal(entries[1].tool_results[0].id, entries[0].tool_calls[0].id);
    assert.deepEqual(await troubles(server), []);
  },

  async "gemini: functions that are called for you"(server) {
    const ran = [];
    const tool = async () => ({ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] });
    const callable = {
      tool,
      callTool: async (calls) => calls.map(({ id, name, args }) => {
        ran.push(args);
        return { functionResponse: { id, name, response: { output: "rain" } } };
      }),
    };
    const answer = await gemini(server).models.generateContent({ model: "g", contents: "the weather?", config: { tools: [callable] } });
    assert.deepEqual([answer.text, ran], ["It rains in Paris.", [WEATHER]]);
    assert.deepEqual(await troubles(server), []);
  },

  async "gemini: beside the script"(server) {
    const api = gemini(server);
    assert.ok((await api.models.countTokens({ model: "g", contents: "hello" })).totalTokens > 0);
    const { embeddings } = await api.models.embedContent({ model: "gemini-embedding-001", contents: ["a", "a"] });
    assert.deepEqual(embeddings[0], embeddings[1]);
    const names = [];
    for await (const model of await api.models.list()) names.push(model.name);
    assert.deepEqual(names, ["models/gpt-test"]);
    assert.deepEqual(await troubles(server), []);
  },

  async "gemini: errors"(server) {
    for (const [text, status] of [["rate limit", 429], ["server error", 500], ["nothing of the kind", 400]]) {
      const error = await gemini(server).models.generateContent({ model: "g", contents: text }).then(() => assert.fail(text), (error) => error);
      assert.ok(error instanceof ApiError, error);
      assert.equal(error.status, status);
    }
  },
});
