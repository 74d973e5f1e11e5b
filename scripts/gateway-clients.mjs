// The Node clients of scripts/gateway-clients. It prints one line for each client, {"name", "answer"}, and waits for a line on
// standard input before the next, so that the caller can look at what the upstream saw.
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { generateText, streamText, tool, jsonSchema } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const [base, PROMPT] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function check(name, answer) {
  process.stdout.write(JSON.stringify({ name, answer: await answer() }) + "\n");
  await lines.next();
}

async function joined(parts) {
  let text = "";
  for await (const part of parts) text += part;
  return text;
}

const messages = [{ role: "system", content: "Be short." }, { role: "user", content: PROMPT }];
const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

const openai = new OpenAI({ baseURL: base + "/v1", apiKey: "sk-test" });
await check("node openai chat", async () =>
  (await openai.chat.completions.create({ model: "m", messages })).choices[0].message.content);
await check("node openai chat, streamed", async () => {
  const stream = await openai.chat.completions.create({ model: "m", messages, stream: true });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
  return text;
});
await check("node openai tool call, streamed", async () => {
  const tools = [{ type: "function", function: { name: "note", description: "Keeps a note", parameters } }];
  const stream = openai.chat.completions.stream({ model: "m", messages, tools });
  const done = await stream.finalChatCompletion();
  return JSON.parse(done.choices[0].message.tool_calls[0].function.arguments).text;
});
await check("node openai responses", async () =>
  (await openai.responses.create({ model: "m", input: PROMPT })).output_text);
await check("node openai responses, streamed", async () => {
  let text = "";
  for await (const event of await openai.responses.create({ model: "m", input: PROMPT, stream: true }))
    if (event.type === "response.output_text.delta") text += event.delta;
  return text;
});
await check("node openai embeddings", async () => {
  await openai.embeddings.create({ model: "m", input: PROMPT, encoding_format: "float" });
  return "You said: " + PROMPT;
});

const anthropic = new Anthropic({ baseURL: base, apiKey: "sk-test" });
const asked = { model: "m", max_tokens: 99, system: "Be short.", messages: [{ role: "user", content: PROMPT }] };
await check("node anthropic messages", async () => (await anthropic.messages.create(asked)).content[0].text);
await check("node anthropic messages, streamed", async () =>
  (await anthropic.messages.stream(asked).finalMessage()).content[0].text);
await check("node anthropic tool use, streamed", async () => {
  const tools = [{ name: "note", description: "Keeps a note", input_schema: parameters }];
  return (await anthropic.messages.stream({ ...asked, tools }).finalMessage()).content[0].input.text;
});

const compatible = createOpenAICompatible({ name: "gateway", baseURL: base + "/v1", apiKey: "sk-test" })("m");
const vercel = createAnthropic({ baseURL: base + "/v1", apiKey: "sk-test" })("m");
for (const [name, model] of [["chat", compatible], ["messages", vercel]]) {
  await check(`vercel ai, ${name}`, async () => (await generateText({ model, prompt: PROMPT })).text);
  await check(`vercel ai, ${name}, streamed`, async () => joined(streamText({ model, prompt: PROMPT }).textStream));
  await check(`vercel ai, ${name}, tool`, async () => {
    const note = tool({ description: "Keeps a note", inputSchema: jsonSchema(parameters) });
    const done = await generateText({ model, prompt: PROMPT, tools: { note } });
    return done.toolCalls[0].input.text;
  });
}
process.exit(0);
