// Chat Completions and Responses: plain, streamed, and with a tool.
import OpenAI from "openai";
import { getWeather, question, run, schema } from "./shared.mjs";

const model = "gpt-4o";
const tools = [{ type: "function", function: { name: "get_weather", description: "Tells the weather.", parameters: schema } }];

run(async () => {
  const client = new OpenAI();
  const messages = [{ role: "system", content: "You are brief." }, { role: "user", content: question }];
  console.log((await client.chat.completions.create({ model, messages })).choices[0].message.content);

  let text = "";
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? "";
  }
  console.log(text);

  const { message } = (await client.chat.completions.create({ model, messages, tools })).choices[0];
  const [call] = message.tool_calls;
  const content = await getWeather(JSON.parse(call.function.arguments));
  messages.push(message, { role: "tool", tool_call_id: call.id, content });
  console.log((await client.chat.completions.create({ model, messages, tools })).choices[0].message.content);

  const asked = [0, 1, 2].map((day) => client.responses.create({ model, input: `${question} Day ${day}.` }));
  for (const answer of await Promise.all(asked)) console.log(answer.output_text);
});
