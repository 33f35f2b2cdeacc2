import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { isConnectionError } from '../errors.js';
import { connect } from './connection.js';
import { createAgent } from './lost-replies.js';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** A Docker that says its version, and dies in the middle of every other reply. */
async function dyingDocker(): Promise<string> {
  const path = join(tmpdir(), `mockri-dying-docker-${process.pid}.sock`);
  const server = createServer((request, reply) => {
    reply.setHeader('content-type', 'application/json');
    if (request.url === '/version') {
      reply.end(JSON.stringify({ Version: '20.10.24', ApiVersion: '1.41' }));
      return;
    }
    reply.write('{"StatusCode":', () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closings.push(() => server.close());
  return `unix://${path}`;
}

it('fails a request when Docker dies in the middle of its reply', async () => {
  const { docker } = await connect({ host: await dyingDocker() }, createRealClock());
  const error = await docker
    .getContainer('any')
    .wait()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  expect(isConnectionError(error)).toBe(true);
});

it('is put into words at no cost', () => {
  expect(inspect({ agent: createAgent(false) }, { showHidden: true, depth: null })).toBe('{ agent: Agent }');
});

it('ends a stream that was lost with an error', async () => {
  const { docker } = await connect({ host: await dyingDocker() }, createRealClock());
  const events = await docker.getEvents();
  await expect(async () => {
    for await (const _chunk of events);
  }).rejects.toMatchObject({ code: 'ECONNRESET' });
});
