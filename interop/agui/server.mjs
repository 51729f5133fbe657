// An AG-UI server built on the official TypeScript encoder, which answers in protobuf if the client accepts any type.
//
//     INTEROP_HOME=folder-with-node_modules node server.mjs
//
// It prints its address as JSON, {"url": ...}, and serves until it is stopped.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const load = createRequire(join(process.env.INTEROP_HOME, "package.json"));
const { EventEncoder } = load("@ag-ui/encoder");
const { EventType } = load("@ag-ui/core");
const { RunAgentInputSchema } = load("@ag-ui/core/schemas");

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const input = RunAgentInputSchema.safeParse(JSON.parse(body));
  if (!input.success) {
    response.writeHead(422, { "content-type": "application/json" }).end(JSON.stringify(input.error.issues));
    return;
  }
  const { threadId, runId } = input.data;
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { "content-type": encoder.getContentType() });
  for (const event of [
    { type: EventType.RUN_STARTED, threadId, runId },
    { type: EventType.TOOL_CALL_START, toolCallId: "call-1", toolCallName: "look_up" },
    { type: EventType.TOOL_CALL_ARGS, toolCallId: "call-1", delta: '{"city":"Paris"}' },
    { type: EventType.TOOL_CALL_END, toolCallId: "call-1" },
    { type: EventType.TOOL_CALL_RESULT, messageId: "result-1", toolCallId: "call-1", content: "found" },
    { type: EventType.TEXT_MESSAGE_START, messageId: "message-1", role: "assistant" },
    { type: EventType.TEXT_MESSAGE_CONTENT, messageId: "message-1", delta: `As ${encoder.getContentType()}.` },
    { type: EventType.TEXT_MESSAGE_END, messageId: "message-1" },
    { type: EventType.RUN_FINISHED, threadId, runId },
  ]) {
    response.write(encoder.encodeBinary(event));
  }
  response.end();
});

server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
