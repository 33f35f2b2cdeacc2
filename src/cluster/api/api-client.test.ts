import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { isThorough, sampleOf } from '../../../test/support/thorough.js';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { turn } from '../../base/clock/turn.js';
import { createApiClient } from './api-client.js';
import { apiPath } from './api-path.js';
import { readKubeconfig } from './kubeconfig.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();
const kubeconfig = join(directory, 'config');
const token = join(directory, 'token');
const seen: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  answer(request, response);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/prefix/` } }],
      users: [{ name: 'u', user: { tokenFile: 'token' } }],
    }),
  );
});
beforeEach(() => {
  seen.length = 0;
  writeFileSync(token, 'old\n');
});
afterAll(() => void server.close());

const status = (response: ServerResponse, code: number, headers = {}) => {
  response.writeHead(code, headers);
  response.end(JSON.stringify({ kind: 'Status', reason: 'Because', message: 'it says why' }));
};

function connect() {
  const clock = createRealClock();
  const limits = { qps: 1000, burst: 1000, inFlight: 4 };
  return createApiClient(readKubeconfig([kubeconfig], undefined, clock), limits, clock);
}

test('a token that expired is read again, and the request is sent again', async () => {
  const api = connect();
  answer = ({ headers }, response) => {
    if (headers.authorization === 'Bearer new') response.end('{"kind":"Node"}');
    else {
      writeFileSync(token, 'new');
      status(response, 401);
    }
  };
  expect(await api.request({ method: 'GET', path: '/api/v1/nodes/a' })).toEqual({ kind: 'Node' });
  expect(seen).toEqual(['GET /prefix/api/v1/nodes/a Bearer old', 'GET /prefix/api/v1/nodes/a Bearer new']);
  api.close();
});

test('a token that stays refused is an error, after two attempts', async () => {
  const api = connect();
  answer = (_, response) => status(response, 401);
  await expect(api.request({ method: 'GET', path: '/x' })).rejects.toMatchObject({ code: 401 });
  expect(seen).toHaveLength(2);
  api.close();
});

test('a server that is too busy is asked again when it says so', async () => {
  const api = connect();
  let busy = 2;
  answer = (_, response) => {
    if (busy-- > 0) status(response, 429, { 'Retry-After': '0' });
    else response.end('{}');
  };
  await api.request({ method: 'POST', path: '/x', body: () => ({ a: 1 }) });
  expect(seen).toHaveLength(3);
  api.close();
});

test('a refusal has the words of the server', async () => {
  const api = connect();
  answer = (_, response) => status(response, 422);
  await expect(api.request({ method: 'GET', path: '/x' })).rejects.toMatchObject({
    code: 422,
    reason: 'Because',
    message: 'it says why',
  });
  expect(api.counts).toMatchObject({ sent: 1, refused: 1, failed: 0 });
  api.close();
});

test('lines are objects, wherever the chunks of the answer end', async () => {
  const api = connect();
  answer = (_, response) => {
    response.write('{"a":1}\n{"a"');
    void turn().then(() => response.end(':"ü"}\n'));
  };
  const lines = [];
  for await (const line of await api.lines('/watch', {}, new AbortController().signal)) lines.push(line);
  expect(lines).toEqual([{ a: 1 }, { a: 'ü' }]);
  api.close();
});

test.each([
  [{ 'current-context': 'b' }, /no context is called "b"; there is only a/],
  [{ 'current-context': '' }, /give --context/],
  [{ clusters: [{ name: 'c', cluster: { server: 'ftp://x' } }] }, /expected a URL such as/],
  [{ users: [{ name: 'u', user: { 'auth-provider': {} } }] }, /use exec/],
])('a kubeconfig with %j is refused', (change, message) => {
  const file = join(directory, 'wrong');
  const base = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://x' } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(file, JSON.stringify({ ...base, ...change }));
  expect(() => readKubeconfig([file], undefined, createRealClock())).toThrow(message);
});

test('a list may take longer than other requests, and an answer may be only metadata', async () => {
  const clock = createRealClock();
  const patience: number[] = [];
  const watched: Clock = {
    ...clock,
    setTimer: (delay, action) => {
      patience.push(delay);
      return clock.setTimer(delay, action);
    },
  };
  const limits = { qps: 1000, burst: 1000, inFlight: 4 };
  const api = createApiClient(readKubeconfig([kubeconfig], undefined, clock), limits, watched);
  const accepted: (string | undefined)[] = [];
  answer = ({ headers }, response) => {
    accepted.push(headers.accept);
    response.end('{}');
  };
  await api.request({ method: 'GET', path: '/api/v1/pods', priority: 'first' });
  await api.request({ method: 'PATCH', path: '/api/v1/pods/a', answer: 'metadata' });
  expect(patience).toEqual([60_000, 10_000]);
  expect(accepted).toEqual([
    'application/json',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  ]);
  api.close();
});

const kinds = [
  ['object', 'normal', 17, /more than 16777216 bytes/],
  ['page', 'first', 129, /more than 134217728 bytes/],
] as const;

test.each(sampleOf(kinds, 1))(
  'an answer without end is read to the limit of its kind: %s',
  async (_, priority, mebibytes, error) => {
    const api = connect();
    let sent = 0;
    answer = (_request, response) => {
      const part = Buffer.alloc(1024 * 1024, ' ');
      const send = () => {
        while (!response.destroyed && sent < 10 * mebibytes) {
          sent++;
          if (!response.write(part)) return void response.once('drain', send);
        }
      };
      send();
    };
    await expect(api.request({ method: 'GET', path: '/api/v1/pods', priority })).rejects.toThrow(error);
    expect(sent).toBeLessThan(2 * mebibytes);
    api.close();
  },
);

slow('a line without end of a watch is an error, and takes time in proportion to its length', async () => {
  const api = connect();
  answer = (_request, response) => {
    const part = Buffer.alloc(1024, 'x');
    let sent = 0;
    const send = () => {
      while (!response.destroyed && sent++ < 40_000)
        if (!response.write(part)) return void response.once('drain', send);
    };
    response.write('{"type":"BOOKMARK"}\n');
    send();
  };
  const seen: unknown[] = [];
  const read = async () => {
    for await (const each of await api.lines('/api/v1/pods', {}, new AbortController().signal))
      seen.push(each);
  };
  await expect(read()).rejects.toThrow(/more than 16777216 bytes/);
  expect(seen).toEqual([{ type: 'BOOKMARK' }]);
  api.close();
});

test('a name is one part of a path, whatever is in it', () => {
  const [namespace, name] = ['../../kube-system', 'a/b?dryRun=All#x'];
  expect(apiPath`/api/v1/namespaces/${namespace}/pods/${name}`).toBe(
    '/api/v1/namespaces/..%2F..%2Fkube-system/pods/a%2Fb%3FdryRun%3DAll%23x',
  );
  expect(apiPath`/api/v1/nodes/${'..'}`).toBe('/api/v1/nodes/%2E%2E');
  expect(apiPath`/api/v1/nodes/${'mock-1.example'}`).toBe('/api/v1/nodes/mock-1.example');
});
