// The AI SDK: a tool that needs approval, and a person who denies it. The second argument selects the provider.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const models = {
  responses: openai('gpt-4o'),
  chat: openai.chat('gpt-4o'),
  anthropic: anthropic('claude-sonnet-4-5'),
};
const tools = {
  refund_order: tool({
    description: 'Refunds a part of an order.',
    inputSchema: z.object({ id: z.string(), amount: z.number() }),
    needsApproval: true,
    execute: async () => {
      throw new Error('nobody approved this');
    },
  }),
};
const messages = [{ role: 'user', content: process.argv[2] }];
let result;
for (;;) {
  result = await generateText({
    model: models[process.argv[3]],
    system: 'You help customers of a shop.',
    messages,
    tools,
    stopWhen: isStepCount(5),
  });
  messages.push(...result.responseMessages);
  const requests = result.content.filter(part => part.type === 'tool-approval-request');
  if (requests.length === 0) break;
  messages.push({
    role: 'tool',
    content: requests.map(request => ({
      type: 'tool-approval-response',
      approvalId: request.approvalId,
      approved: false,
      reason: process.argv[4],
    })),
  });
}
console.log(result.text);
