// The agent of `agent.py`, built on the official TypeScript package.
//
//     node agent.mjs variable|config|sse HOW
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.env.INTEROP_HOME, 'package.json'));
const sdk = (file) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${file}`)).href);
const { Client } = await sdk('client/index.js');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');
const { SSEClientTransport } = await sdk('client/sse.js');

const [by, how] = process.argv.slice(2);
const reached = () => {
  if (by === 'sse') return new SSEClientTransport(new URL(process.env.ORDERS_SSE));
  const config = by === 'config' && JSON.parse(fs.readFileSync(process.env.AGENTCI_MCP_CONFIG, 'utf8'));
  return new StreamableHTTPClientTransport(new URL(config ? config.mcpServers.orders.url : process.env.AGENTCI_MCP_ORDERS_URL));
};

const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(reached());
const tools = (await client.listTools()).tools.map((tool) => tool.name);
if (tools.join() !== 'find_order,lose_order') throw new Error(tools.join());
const tool = { 'wrong-tool': 'lose_order', 'missing-tool': 'missing_order' }[how] ?? 'find_order';
const id = how === 'other-arguments' ? 'A-18' : 'A-17';
const said = async () => {
  if (how === 'skips') return '60';
  try {
    const result = await client.callTool({ name: tool, arguments: { id } });
    return result.isError ? result.content[0].text : String(result.structuredContent?.total ?? '60');
  } catch (error) {
    return error.message;
  }
};
console.log(await said());
await client.close();
