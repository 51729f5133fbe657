// The AI SDK retries automatically when the provider is busy.
import { openai } from '@ai-sdk/openai';
import { generateText } from 'ai';

const { text } = await generateText({ model: openai('gpt-4.1'), prompt: process.argv[2] });
console.log(text);
