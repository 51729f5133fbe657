// An agent built on the AI SDK. It reads a question, or a conversation as JSON, and prints its answer.
import { text } from "node:stream/consumers";
import { generateText, isStepCount, tool } from "ai";
import { openai } from "@ai-sdk/openai";
import { shop } from "../shop.mjs";

const asked = (await text(process.stdin)).trim();
const messages = asked.startsWith("{") ? JSON.parse(asked).messages : [{ role: "user", content: asked }];
const tools = Object.entries(shop.tools).map(([name, { description, parameters, execute }]) => [
  name,
  tool({ description, inputSchema: parameters, execute }),
]);
const answer = await generateText({
  model: openai(shop.model),
  system: shop.instructions,
  messages,
  tools: Object.fromEntries(tools),
  stopWhen: isStepCount(5),
});
console.log(answer.text);
