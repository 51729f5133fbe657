// The AI SDK: a tool without `execute`, whose call is handed to the browser.
import { openai } from '@ai-sdk/openai';
import { generateText, tool } from 'ai';
import { z } from 'zod';

const { toolCalls } = await generateText({
  model: openai('gpt-4o'),
  system: 'You help customers of a shop.',
  prompt: process.argv[2],
  tools: {
    find_order: tool({ description: 'Finds an order by its id.', inputSchema: z.object({ id: z.string() }) }),
  },
});
console.log(`For the browser: ${toolCalls.map(call => `${call.toolName} ${call.input.id}`).join(', ')}`);
