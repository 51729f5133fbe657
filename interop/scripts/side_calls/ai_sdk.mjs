// The AI SDK: the conversation, its title and suggested questions, all in parallel. It reads its settings from its own variables.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, Output, tool } from 'ai';
import { z } from 'zod';

const openai = createOpenAI({ baseURL: process.env.LLM_URL, apiKey: process.env.LLM_KEY });
const model = openai('gpt-4.1');
const system = 'You help customers of a shop.';
const question = { role: 'user', content: process.argv[2] };
const suggest = { role: 'user', content: 'Suggest two questions.' };

const tools = {
  find_order: tool({
    description: 'Finds an order by its id.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, total: 60 }),
  }),
  refund_order: tool({
    description: 'Refunds a part of an order, in euros.',
    inputSchema: z.object({ id: z.string(), amount: z.number() }),
    execute: async ({ id, amount }) => ({ order: id, refunded: amount }),
  }),
};

async function converse() {
  const { text } = await generateText({ model, system, messages: [question], tools, stopWhen: isStepCount(5) });
  return text;
}

async function title() {
  const { text } = await generateText({ model, system: 'You write titles.', messages: [question] });
  return text;
}

async function questions() {
  const output = Output.object({ schema: z.object({ questions: z.array(z.string()) }) });
  // The request continues the messages of the conversation.
  const answer = await generateText({ model, system, messages: [question, suggest], output });
  return answer.output.questions;
}

const [said, name, next] = await Promise.all([converse(), title(), questions()]);
console.log(JSON.stringify({ answer: said, title: name, questions: next }));
