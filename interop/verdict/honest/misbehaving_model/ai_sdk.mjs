// The AI SDK: the agent reports to the model that a tool or an argument does not exist, and the model tries another. The second
// argument selects the provider.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const models = { openai: openai('gpt-4.1'), anthropic: anthropic('claude-sonnet-4-5') };
const { text } = await generateText({
  model: models[process.argv[3]],
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => `Order ${id}: 60 euros, paid.`,
    }),
  },
  stopWhen: isStepCount(5),
});
console.log(text);
