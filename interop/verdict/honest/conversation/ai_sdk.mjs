// The AI SDK behind a web server, which keeps the messages of each thread.
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { createServer } from 'node:http';
import { z } from 'zod';

const threads = new Map();
const tools = {
  find_order: tool({
    description: 'Finds an order by its id.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => `Order ${id}: 60 euros, paid.`,
  }),
  refund_order: tool({
    description: 'Refunds a part of an order.',
    inputSchema: z.object({ id: z.string(), amount: z.number() }),
    execute: async ({ id, amount }) => `${amount} euros of order ${id} were refunded.`,
  }),
};

createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const { thread, question } = JSON.parse(body);
  const messages = threads.get(thread) ?? [];
  messages.push({ role: 'user', content: question });
  const result = await generateText({
    model: openai('gpt-4.1'),
    system: 'You help customers of a shop.',
    messages,
    tools,
    stopWhen: isStepCount(5),
  });
  messages.push(...result.responseMessages);
  threads.set(thread, messages);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ answer: result.text }));
}).listen(Number(process.env.PORT), '127.0.0.1');
