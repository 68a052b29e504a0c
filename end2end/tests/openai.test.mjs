// The unmodified npm `openai` client against the gateway.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import OpenAI from 'openai';

const api = process.env.SOIT_API_URL;
const hello = [{ role: 'user', content: 'Say hello to the ledger.' }];
let token;
let client;

async function rest(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

before(async () => {
  token = (await rest('POST', '/api/v1/login', { email: 'admin@example.com', password: 'changeme123' })).access_token;
  const { api_key: apiKey } = await rest('POST', '/api/v1/api-keys', { name: 'npm openai', scopes: ['write'] });
  client = new OpenAI({ baseURL: `${api}/v1`, apiKey, maxRetries: 0 });
});

test('a whole answer is a run', async () => {
  const { data, response } = await client.chat.completions
    .create({ model: 'model:test:echo', messages: hello })
    .withResponse();
  const run = await rest('GET', `/api/v1/runs/${response.headers.get('x-soit-run-id')}`);
  assert.equal(data.id, `chatcmpl-${run.id}`);
  assert.match(data.choices[0].message.content, /ledger/);
  assert.equal(run.status, 'succeeded');
});

test('a stream brings text, one finish reason and its usage', async () => {
  const stream = await client.chat.completions.create({
    model: 'model:test:echo',
    messages: hello,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.match(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), /ledger/);
  assert.deepEqual(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []), ['stop']);
  assert.ok(chunks.at(-1).usage.completion_tokens > 0);
});

test('an aborted stream ends its run', async () => {
  const { data: stream, response } = await client.chat.completions
    .create({ model: 'model:test:pace-50', messages: hello, stream: true })
    .withResponse();
  for await (const chunk of stream) {
    assert.ok(chunk.id);
    break; // the client closes the connection
  }
  const path = `/api/v1/runs/${response.headers.get('x-soit-run-id')}`;
  let run = await rest('GET', path);
  for (let tries = 0; run.status === 'running' && tries < 100; tries += 1) {
    await new Promise((wake) => setTimeout(wake, 50));
    run = await rest('GET', path);
  }
  assert.equal(run.status, 'failed');
  assert.equal(run.error.code, 'client_disconnected');
});

test('tools come back as calls', async () => {
  const call = { id: "call_1", name: "weather", arguments: { city: "Bern" } };
  const answer = await client.chat.completions.create({
    model: 'model:test:script',
    messages: [
      { role: 'system', content: JSON.stringify({ turns: [{ tool_calls: [call] }] }) },
      { role: 'user', content: 'Weather?' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }],
  });
  assert.deepEqual(JSON.parse(answer.choices[0].message.tool_calls[0].function.arguments), { city: 'Bern' });
});

test('embeddings default to base64 and decode', async () => {
  const answer = await client.embeddings.create({ model: 'model:test:embed-8', input: 'one' });
  assert.equal(answer.data[0].embedding.length, 8);
});

test('an unknown model is a 404 with its code', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'gpt-nope', messages: hello }), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.equal(error.code, 'model_not_found');
    return true;
  });
});
