// Cohere's SDK: plain and streamed.
import { CohereClientV2 } from "cohere-ai";
import { question, run } from "./shared.mjs";

run(async () => {
  const client = new CohereClientV2({ token: process.env.CO_API_KEY });
  const asked = { model: "command-a", messages: [{ role: "user", content: question }] };
  console.log((await client.chat(asked)).message.content[0].text);
  let text = "";
  for await (const event of await client.chatStream(asked)) {
    if (event.type === "content-delta") text += event.delta.message.content.text;
  }
  console.log(text);
});
