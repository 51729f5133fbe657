// OpenAI's SDK for Node with `functions`, the predecessor of tools.
import OpenAI from "openai";

const functions = [
  {
    name: "find_order",
    description: "Finds an order by its id.",
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  },
];
const client = new OpenAI();
const messages = [
  { role: "system", content: "You help customers of a shop." },
  { role: "user", content: process.argv[2] },
];
for (;;) {
  const answer = await client.chat.completions.create({ model: "gpt-4.1", messages, functions });
  const { message, finish_reason } = answer.choices[0];
  if (finish_reason !== "function_call") {
    console.log(message.content);
    break;
  }
  const { id } = JSON.parse(message.function_call.arguments);
  messages.push(message, { role: "function", name: "find_order", content: `Order ${id}: 60 euros, paid.` });
}
