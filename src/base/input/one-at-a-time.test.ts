import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server that answers when the test says so, and a client that has sent so many requests in one packet. */
async function exchange(requests: number) {
  const asked: ServerResponse[] = [];
  const server = createServer(oneAtATime((_, response) => void asked.push(response))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  ends.push(
    () => client.destroy(),
    () => server.close(),
  );
  let received = '';
  client
    .on('error', () => {})
    .on('data', (data) => {
      received += data;
    });
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
  return { asked, client, answers: () => received.match(/answer \d/g) ?? [] };
}

test('a request that comes before the end of the answer is taken after it', async () => {
  const { asked, answers } = await exchange(2);
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.end('answer 1');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.end('answer 2');
  await expect.poll(answers).toEqual(['answer 1', 'answer 2']);
});

test('a client with more of them is cut off, and the one that waits is never begun', async () => {
  const { asked, client } = await exchange(3);
  await once(client, 'close');
  expect(asked.length).toBeLessThan(2);
});
