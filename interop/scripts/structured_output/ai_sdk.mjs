// The AI SDK: `generateObject`, or with `output` an agent with tools whose output is an object.
import { openai } from '@ai-sdk/openai';
import { generateObject, generateText, isStepCount, Output, tool } from 'ai';
import { z } from 'zod';

const Order = z.object({
  id: z.string(),
  items: z.array(z.object({ name: z.string(), price: z.number() })),
  total: z.number(),
  note: z.string().nullable(),
});
const request = { model: openai('gpt-4.1'), system: 'You know all orders.', prompt: process.argv[2] };

async function extracted() {
  return (await generateObject({ ...request, schema: Order })).object;
}

async function found() {
  const find_order = tool({
    description: 'Finds an order by its id.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => `Order ${id}: a lamp for 40 euros and a desk for 20.`,
  });
  const output = Output.object({ schema: Order });
  return (await generateText({ ...request, output, tools: { find_order }, stopWhen: isStepCount(5) })).output;
}

console.log(JSON.stringify(await (process.argv[3] === 'object' ? extracted() : found())));
