// The scripted MCP server against the official TypeScript package: over stdio, Streamable HTTP and SSE.
//
//     AGENTCI=target/debug/agentci node scripted.mjs
//
// The last line is `N passed, M failed`.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const require = createRequire(path.join(process.env.INTEROP_HOME, 'package.json'));
const sdk = (file) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${file}`)).href);
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');
const { SSEClientTransport } = await sdk('client/sse.js');
const { CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema } = await sdk('types.js');

const agentci = path.resolve(process.env.AGENTCI);
const script = path.join(import.meta.dirname, 'conformance.mcp.yaml');

async function served() {
  const server = spawn(agentci, ['serve', 'mcp', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) return { server, addresses: JSON.parse(line) };
}

const transports = {
  stdio: async () => ({ transport: new StdioClientTransport({ command: agentci, args: ['serve', 'mcp', script, '--stdio'] }) }),
  http: async () => {
    const { server, addresses } = await served();
    return { server, transport: new StreamableHTTPClientTransport(new URL(addresses.url)) };
  },
  sse: async () => {
    const { server, addresses } = await served();
    return { server, transport: new SSEClientTransport(new URL(addresses.sse_url)) };
  },
};

async function usesEverything(transport) {
  const capabilities = { sampling: {}, elicitation: {} };
  const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities });
  const logged = [];
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    role: 'assistant', model: 'm', content: { type: 'text', text: `sampled ${params.messages[0].content.text}` },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ann', color: 'red' } }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => { logged.push(params.data); });
  await client.connect(transport);
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    return [content[0].text, Boolean(isError)];
  };
  assert((await client.listTools()).tools.some((tool) => tool.name === 'test_simple_text'));
  assert.deepEqual(await call('test_simple_text'), ['This is a simple text response for testing.', false]);
  assert.deepEqual(await call('test_error_handling'), ['This tool intentionally returns an error for testing', true]);
  assert.deepEqual(await call('test_sampling', { prompt: 'hi' }), ['LLM response: sampled hi', false]);
  assert.deepEqual(await call('test_input_required_result_multi_round'), ['Ann likes red', false]);
  assert.deepEqual(await call('test_tool_with_logging'), ['Tool execution completed', false]);
  assert.deepEqual(logged, ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
  assert.deepEqual(await call('test_reconnection'), ['Reconnection test completed', false]);
  const { contents } = await client.readResource({ uri: 'test://template/5/data' });
  assert.equal(JSON.parse(contents[0].text).id, '5');
  const prompt = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'x', arg2: 'y' } });
  assert.equal(prompt.messages[0].content.text, "Prompt with arguments: arg1='x', arg2='y'");
  await client.close();
}

let passed = 0;
let failed = 0;
for (const [name, start] of Object.entries(transports)) {
  let server;
  try {
    const started = await start();
    server = started.server;
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('timed out after 60 s')), 60_000); });
    await Promise.race([usesEverything(started.transport), late]);
    clearTimeout(timer);
    console.log(`ok ${name}`);
    passed += 1;
  } catch (error) {
    console.log(`FAILED ${name}: ${error.stack}`);
    failed += 1;
  }
  server?.kill();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
