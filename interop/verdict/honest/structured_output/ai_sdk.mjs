// The AI SDK: `Output.object` together with tools. The second argument selects the provider.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, Output, tool } from 'ai';
import { z } from 'zod';

const models = {
  responses: openai('gpt-4.1'),
  chat: openai.chat('gpt-4.1'),
  anthropic: anthropic('claude-sonnet-4-5'),
};
const { output } = await generateText({
  model: models[process.argv[3]],
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  output: Output.object({
    schema: z.object({
      id: z.string(),
      items: z.array(z.object({ name: z.string(), price: z.number() })),
      note: z.string().nullable(),
    }),
  }),
  tools: {
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => ({ id, items: [{ name: 'lamp', price: 60 }] }),
    }),
  },
  stopWhen: isStepCount(5),
});
console.log(JSON.stringify(output));
