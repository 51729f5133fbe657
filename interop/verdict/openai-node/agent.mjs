// An agent built on OpenAI's SDK for Node, streamed. It reads a question, or a conversation as JSON, and prints its answer.
import { text } from "node:stream/consumers";
import OpenAI from "openai";
import { z } from "zod";
import { shop } from "../shop.mjs";

const asked = (await text(process.stdin)).trim();
const conversation = asked.startsWith("{") ? JSON.parse(asked).messages : [{ role: "user", content: asked }];
const messages = [{ role: "system", content: shop.instructions }, ...conversation];
const tools = Object.entries(shop.tools).map(([name, { description, parameters }]) => ({
  type: "function",
  function: { name, description, parameters: z.toJSONSchema(parameters, { io: "input" }) },
}));

async function run({ name, arguments: text }) {
  try {
    return await shop.tools[name].execute(JSON.parse(text));
  } catch (error) {
    return { error: error.message };
  }
}

const api = new OpenAI();
for (;;) {
  const stream = api.chat.completions.stream({ model: shop.model, messages, tools });
  const { message } = (await stream.finalChatCompletion()).choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  const results = await Promise.all(message.tool_calls.map((call) => run(call.function)));
  message.tool_calls.forEach((call, at) => {
    messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(results[at]) });
  });
}
