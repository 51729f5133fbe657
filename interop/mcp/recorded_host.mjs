// A host built on the official TypeScript package. It uses the server `shop` of the `.mcp.json` next to it, and prints the results.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.env.INTEROP_HOME, 'package.json'));
const sdk = (file) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${file}`)).href);
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');
const { SSEClientTransport } = await sdk('client/sse.js');
const { ElicitRequestSchema, LoggingMessageNotificationSchema } = await sdk('types.js');

const server = JSON.parse(fs.readFileSync('.mcp.json', 'utf8')).mcpServers.shop;
const transport = () => {
  if (server.command) return new StdioClientTransport({ command: server.command, args: server.args });
  const url = new URL(server.url);
  return server.type === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
};

const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { elicitation: {} } });
const heard = [];
const guest = process.env.GUEST ?? 'Ann';
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: guest, seats: 2 } }));
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => { heard.push(params.data); });
await client.connect(transport());
console.log(client.getServerVersion().name);
console.log((await client.listTools()).tools.map((tool) => tool.name).sort().join(' '));

// The package drops progress notifications that arrive together with the answer, so their number varies: they are not printed.
const onprogress = () => {};
const call = async (name, args) => (await client.callTool({ name, arguments: args }, undefined, { onprogress })).content[0].text;
console.log(await call('add', { a: Number(process.env.A ?? 2), b: 3 }));
console.log(await call('divide', { a: 1, b: 0 }));
console.log(await call('count', { to: 3 }), heard.join(', '));
console.log(await call('reserve', { day: 'Monday' }));
console.log(await Promise.all([call('add', { a: 1, b: 1 }), call('wait', { seconds: 0.2 }), call('add', { a: 4, b: 4 })]));
console.log((await client.readResource({ uri: 'note://today' })).contents[0].text);
console.log((await client.getPrompt({ name: 'review', arguments: { text: 'it' } })).messages[0].content.text);
await client.close();
