// The AI SDK with the provider in the argument: an agent with a tool, then streamed.
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { getWeather, question, run, schema } from "./shared.mjs";

const models = { openai: "gpt-4o", anthropic: "claude-sonnet-4-5", google: "gemini-2.5-flash", mistral: "mistral-small-latest" };

run(async () => {
  const name = process.argv[2];
  const model = (await import(`@ai-sdk/${name}`))[name](models[name]);
  const tools = {
    get_weather: tool({ description: "Tells the weather.", inputSchema: jsonSchema(schema), execute: getWeather }),
  };
  console.log((await generateText({ model, prompt: question, tools, stopWhen: isStepCount(3) })).text);
  console.log(await streamText({ model, prompt: question }).text);
});
