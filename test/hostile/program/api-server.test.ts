import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { turn } from '../../../src/base/clock/turn.js';
import { createApiObjects } from '../../../src/kubelet/api-server/objects.js';
import { startApiServer } from '../../../src/kubelet/api-server/server.js';
import { lastWords } from '../../../src/kubelet/hosts/virtual/last-words.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

// What a program on the virtual clock sends to its API server. An error that nobody handles would end this process.

const temporary = useTemporaryDirectories();
const PODS = '/api/v1/namespaces/default/pods';

async function rig(onChange = () => {}) {
  const objects = createApiObjects();
  const pod = { metadata: { name: 'web', namespace: 'default' }, status: {} };
  objects.put(`${PODS}/web`, pod);
  const server = await startApiServer({ objects, clock: createRealClock(), onChange });
  onTestFinished(() => server.close());
  const { port, pathname: secret } = new URL(server.url);
  /** Sends a request as it stands; answers the first line of the response. */
  const send = async (method: string, path: string, body = '', host = `127.0.0.1:${port}`) => {
    const socket = connect(Number(port), '127.0.0.1');
    const head = `${method} ${secret}${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    socket.write(`${head}Connection: close\r\n\r\n${body}`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text.split('\r\n', 1)[0];
  };
  return { send, port: Number(port), secret, objects };
}

it.each([
  ['a path of slashes', 'GET', '//', '', 404],
  ['null', 'POST', PODS, 'null', 400],
  ['a number', 'POST', PODS, '7', 400],
  ['a list', 'PATCH', `${PODS}/web`, '[1]', 400],
  ['metadata that is null', 'POST', PODS, '{"metadata":null}', 400],
  ['metadata that is a text', 'PUT', `${PODS}/web`, '{"metadata":"x"}', 400],
  [
    'the lifetime of a token that is not a number',
    'POST',
    '/api/v1/namespaces/d/serviceaccounts/a/token',
    '{"spec":{"expirationSeconds":"x"}}',
    500,
  ],
  ['conditions that are null', 'PATCH', `${PODS}/web`, '{"status":{"conditions":[null]}}', 500],
  ['a list under a name of every object', 'PATCH', `${PODS}/web`, '{"constructor":[1],"toString":[2]}', 200],
  ['__proto__', 'PATCH', `${PODS}/web`, '{"__proto__":{"polluted":1}}', 200],
  ['lists in lists', 'PATCH', `${PODS}/web`, `{"a":${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}}`, 400],
  [
    'mappings in mappings',
    'PATCH',
    `${PODS}/web`,
    `{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    400,
  ],
])('%s: the request alone fails', async (_, method, path, body, code) => {
  const { send } = await rig();
  expect(await send(method, path, body)).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(await send('GET', `${PODS}/web`)).toMatch(/^HTTP\/1.1 200 /);
});

it('a client that disconnects in the middle of a body does no harm', async () => {
  const { send, port, secret } = await rig();
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST ${secret}${PODS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"a":`);
  await once(socket, 'connect');
  await send('GET', PODS);
  socket.destroy();
  await once(socket, 'close');
  for (let again = 0; again < 3; again++) expect(await send('GET', PODS)).toMatch(/ 200 /);
});

it('an event without an object does no harm', async () => {
  const { send } = await rig(() => {
    throw new TypeError('of undefined');
  });
  expect(await send('POST', '/api/v1/namespaces/default/events', '{"metadata":{"name":"e"}}')).toMatch(
    / 201 /,
  );
  expect(await send('GET', PODS)).toMatch(/ 200 /);
});

it('another name of this machine is refused, because a web page could send it', async () => {
  const { send } = await rig();
  expect(await send('GET', PODS, '', 'rebound.example')).toMatch(/ 403 /);
});

it('a watch that its client does not read is ended', async () => {
  const { port, secret, objects } = await rig();
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${secret}${PODS}?watch=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'readable');
  const large = 'x'.repeat(3 << 20);
  for (let index = 0; index < 30; index++) {
    objects.put(`${PODS}/p${index}`, { metadata: { name: `p${index}` }, large });
    await turn();
  }
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'close');
  expect(socket.bytesRead).toBeLessThan(80 << 20);
});

it('the end of a log is found without reading all of it', () => {
  const file = join(temporary(), 'log');
  writeFileSync(file, `${'x'.repeat(1000)}\n`.repeat(40_000));
  writeFileSync(file, 'panic: it is over\n\ngoroutine 1\n', { flag: 'a' });
  expect(lastWords(file)).toBe('\npanic: it is over\n\ngoroutine 1');
});
