// Mistral's SDK: plain and streamed.
import { Mistral } from "@mistralai/mistralai";
import { question, run } from "./shared.mjs";

run(async () => {
  const client = new Mistral({ apiKey: process.env.MISTRAL_API_KEY });
  const asked = { model: "mistral-small-latest", messages: [{ role: "user", content: question }] };
  console.log((await client.chat.complete(asked)).choices[0].message.content);
  let text = "";
  for await (const chunk of await client.chat.stream(asked)) text += chunk.data.choices[0].delta.content ?? "";
  console.log(text);
});
