// LangChain with OpenAI: plain, streamed, and with a tool.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { getWeather, question, run, schema } from "./shared.mjs";

run(async () => {
  const model = new ChatOpenAI({ model: "gpt-4o" });
  console.log((await model.invoke(question)).text);
  let text = "";
  for await (const chunk of await model.stream(question)) text += chunk.text;
  console.log(text);

  const weather = tool(getWeather, { name: "get_weather", description: "Tells the weather.", schema });
  const withTools = model.bindTools([weather]);
  const messages = [new HumanMessage(question)];
  const called = await withTools.invoke(messages);
  const [call] = called.tool_calls;
  messages.push(called, new ToolMessage({ tool_call_id: call.id, content: await getWeather(call.args) }));
  console.log((await withTools.invoke(messages)).text);
});
