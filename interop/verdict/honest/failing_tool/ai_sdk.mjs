// The AI SDK: a tool that fails the first time. The second argument selects the provider.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const models = {
  responses: openai('gpt-4.1'),
  chat: openai.chat('gpt-4.1'),
  anthropic: anthropic('claude-sonnet-4-5'),
};
let tries = 0;
const { text } = await generateText({
  model: models[process.argv[3]],
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        tries += 1;
        if (tries === 1) throw new Error('the shop does not answer');
        return `Order ${id}: 60 euros, paid.`;
      },
    }),
  },
  stopWhen: isStepCount(5),
});
console.log(text);
