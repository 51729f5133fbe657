// The AI SDK: a stream that is aborted after the first words.
import { openai } from '@ai-sdk/openai';
import { isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';

const controller = new AbortController();
const result = streamText({
  model: openai('gpt-4.1'),
  prompt: process.argv[2],
  tools: {
    refund_order: tool({
      description: 'Refunds a part of an order.',
      inputSchema: z.object({ id: z.string(), amount: z.number() }),
      execute: async () => {
        throw new Error('the stream was aborted before this');
      },
    }),
  },
  stopWhen: isStepCount(5),
  abortSignal: controller.signal,
  onError: () => {},
});
let said = '';
for await (const text of result.textStream) {
  said += text;
  if (said.trim().split(/\s+/).length >= 3) {
    controller.abort();
    break;
  }
}
console.log(said);
