// The AI SDK: a tool that asks another agent.
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const refund_order = tool({
  description: 'Refunds a part of an order.',
  inputSchema: z.object({ id: z.string(), amount: z.number() }),
  execute: async ({ id, amount }) => `${amount} euros of order ${id} were refunded.`,
});
const ask_clerk = tool({
  description: 'Asks the clerk who refunds orders.',
  inputSchema: z.object({ input: z.string() }),
  execute: async ({ input }) => {
    const { text } = await generateText({
      model: openai('gpt-4.1-mini'),
      system: 'You refund orders.',
      prompt: input,
      tools: { refund_order },
      stopWhen: isStepCount(5),
    });
    return text;
  },
});
const { text } = await generateText({
  model: openai('gpt-4.1'),
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: { ask_clerk },
  stopWhen: isStepCount(5),
});
console.log(text);
