// An MCP server with one tool, whose answer is different each time.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const initialized = () => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "weather", version: "1" },
  });
  const result = method === "initialize" ? initialized() : { content: [{ type: "text", text: `${Math.random()} degrees` }] };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
