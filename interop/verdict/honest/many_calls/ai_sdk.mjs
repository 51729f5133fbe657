// The AI SDK: several calls at once, streamed. The second argument selects the provider.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { isStepCount, streamText, tool } from 'ai';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';

const models = {
  responses: openai('gpt-5'),
  chat: openai.chat('o3'),
  anthropic: anthropic('claude-sonnet-4-5'),
};
const { textStream } = streamText({
  model: models[process.argv[3]],
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        await setTimeout(id === 'A-17' ? 100 : 0);
        return { id, total: 60 };
      },
    }),
    now: tool({ description: 'The time.', inputSchema: z.object({}), execute: async () => '' }),
  },
  stopWhen: isStepCount(5),
});
for await (const text of textStream) process.stdout.write(text);
console.log();
