// An agent without an SDK. Its argument selects the HTTP client; most of them ignore proxy variables.
import { once } from "node:events";
import https from "node:https";
import { json } from "node:stream/consumers";
import { question, run } from "./shared.mjs";

const address = "https://api.openai.com/v1/chat/completions";
const body = { model: "gpt-4o", messages: [{ role: "user", content: question }] };
const headers = { authorization: `Bearer ${process.env.OPENAI_API_KEY}`, "content-type": "application/json" };
const options = { method: "POST", headers, body: JSON.stringify(body) };

const clients = {
  fetch: async () => (await fetch(address, options)).json(),
  https: async () => {
    const request = https.request(address, { method: "POST", headers });
    request.end(options.body);
    const [answer] = await once(request, "response");
    return json(answer);
  },
  undici: async () => {
    const { Agent, request } = await import("undici");
    return (await request(address, { ...options, dispatcher: new Agent({ keepAliveTimeout: 10 }) })).body.json();
  },
  got: async () => {
    const { got } = await import("got");
    return got.post(address, { json: body, headers, throwHttpErrors: false }).json();
  },
  axios: async () => {
    const { default: axios } = await import("axios");
    return (await axios.post(address, body, { headers, validateStatus: () => true })).data;
  },
  "node-fetch": async () => {
    const { default: request } = await import("node-fetch");
    return (await request(address, options)).json();
  },
  // WebSocket frames are not recorded; a WebSocket for the Responses API is refused.
  ws: async () => speakBySocket("wss://api.openai.com/v1/realtime?model=gpt-realtime"),
  "ws-responses": async () => speakBySocket("wss://api.openai.com/v1/responses"),
};

async function speakBySocket(address) {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(address, { headers });
  const content = await new Promise((resolve, reject) => {
    socket.on("message", (data) => resolve(String(data)));
    socket.on("unexpected-response", (_, answer) => resolve(`refused with ${answer.statusCode}`));
    socket.on("error", reject);
  });
  socket.terminate();
  return { choices: [{ message: { content } }] };
}

run(async () => {
  const answer = await clients[process.argv[2]]();
  if (answer.error) throw new Error(answer.error.message);
  console.log(answer.choices[0].message.content);
});
