// The AI SDK: `prepareStep` sends the model only a summary and the last call.
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const { text } = await generateText({
  model: openai.chat('gpt-4.1'),
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    find_order: tool({
      description: 'Finds an order by its id.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => `Order ${id}: 60 euros, paid.`,
    }),
  },
  prepareStep: ({ messages }) => {
    if (messages.length <= 3) return {};
    const content = `${process.argv[2]} Earlier results: ${messages[2].content[0].output.value}`;
    return { messages: [{ role: 'user', content }, ...messages.slice(-2)] };
  },
  stopWhen: isStepCount(5),
});
console.log(text);
