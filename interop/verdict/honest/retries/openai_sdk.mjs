// The OpenAI SDK retries automatically when the provider is busy.
import OpenAI from 'openai';

const stream = await new OpenAI().chat.completions.create({
  model: 'gpt-4.1',
  messages: [{ role: 'user', content: process.argv[2] }],
  stream: true,
  stream_options: { include_usage: true },
});
let said = '';
for await (const chunk of stream) said += chunk.choices[0]?.delta?.content ?? '';
console.log(said);
