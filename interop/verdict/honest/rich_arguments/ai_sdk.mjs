// The AI SDK: a tool with nested, optional and enum arguments. The second argument selects the provider.
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
    place_order: tool({
      description: 'Places an order.',
      inputSchema: z.object({
        items: z.array(z.object({ sku: z.string(), count: z.int().default(1) })),
        speed: z.enum(['normal', 'fast']),
        price: z.number(),
        note: z.string().nullish(),
      }),
      execute: async ({ items, speed, price }) => `${items.length} kinds, ${speed}, ${price} euros`,
    }),
    add_labels: tool({
      description: 'Adds labels to the order.',
      inputSchema: z.object({ labels: z.record(z.string(), z.string()) }),
      execute: async ({ labels }) => Object.keys(labels).join(', '),
    }),
  },
  stopWhen: isStepCount(5),
});
console.log(text);
