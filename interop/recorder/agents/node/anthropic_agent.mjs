// Messages: plain, streamed, and with a tool.
import Anthropic from "@anthropic-ai/sdk";
import { getWeather, question, run, schema } from "./shared.mjs";

const asked = { model: "claude-sonnet-4-5", max_tokens: 100, system: "You are brief." };
const tools = [{ name: "get_weather", description: "Tells the weather.", input_schema: schema }];

run(async () => {
  const client = new Anthropic();
  const messages = [{ role: "user", content: question }];
  console.log((await client.messages.create({ ...asked, messages })).content[0].text);
  console.log(await client.messages.stream({ ...asked, messages }).finalText());

  const { content } = await client.messages.stream({ ...asked, messages, tools }).finalMessage();
  const result = { type: "tool_result", tool_use_id: content[0].id, content: await getWeather(content[0].input) };
  messages.push({ role: "assistant", content }, { role: "user", content: [result] });
  console.log((await client.messages.create({ ...asked, messages, tools })).content[0].text);
});
