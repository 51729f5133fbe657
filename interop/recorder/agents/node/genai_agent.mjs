// Google's SDK: plain, streamed, and with a tool.
import { GoogleGenAI } from "@google/genai";
import { getWeather, question, run, schema } from "./shared.mjs";

const model = "gemini-2.5-flash";

run(async () => {
  const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
  console.log((await client.models.generateContent({ model, contents: question })).text);

  let text = "";
  for await (const chunk of await client.models.generateContentStream({ model, contents: question })) text += chunk.text;
  console.log(text);

  const declaration = { name: "get_weather", description: "Tells the weather.", parametersJsonSchema: schema };
  const config = { tools: [{ functionDeclarations: [declaration] }] };
  const contents = [{ role: "user", parts: [{ text: question }] }];
  const called = await client.models.generateContent({ model, contents, config });
  const [call] = called.functionCalls;
  const response = { result: await getWeather(call.args) };
  contents.push(called.candidates[0].content, { role: "user", parts: [{ functionResponse: { name: call.name, response } }] });
  console.log((await client.models.generateContent({ model, contents, config })).text);
});
