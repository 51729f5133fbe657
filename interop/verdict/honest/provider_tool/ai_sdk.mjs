// The AI SDK: a search that the provider runs, and a tool that the agent runs.
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const { text } = await generateText({
  model: openai('gpt-4.1'),
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    web_search: openai.tools.webSearch({ searchContextSize: 'low' }),
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => `Order ${id}: 60 euros, paid.`,
    }),
  },
  stopWhen: isStepCount(5),
});
console.log(text);
