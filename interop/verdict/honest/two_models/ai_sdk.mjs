// The AI SDK: two conversations at once, each with its own model.
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const converse = (model, name, answer) =>
  generateText({
    model: openai.chat(model),
    prompt: process.argv[2],
    tools: {
      [name]: tool({ description: 'Finds it.', inputSchema: z.object({ id: z.string() }), execute: async () => answer }),
    },
    stopWhen: isStepCount(5),
  });
const results = await Promise.all([
  converse('gpt-4.1', 'find_order', 'Order A-17: 60 euros, paid.'),
  converse('gpt-4.1-mini', 'find_parcel', 'The parcel of A-17 is on its way.'),
]);
console.log(results.map(result => result.text).join(' '));
