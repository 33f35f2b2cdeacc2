import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { turn } from '../../../src/base/clock/turn.js';
import type { Route } from '../../../src/runtime/control/router.js';
import { type ControlServer, startControl } from '../../../src/runtime/control/server.js';

let server: ControlServer | undefined;
afterEach(() => server?.close());

const clock = createRealClock();

/** Keeps the event loop busy for longer than a slice. */
function work(): void {
  for (const end = clock.elapsed() + 5; clock.elapsed() < end; );
}

/** Starts a control API; `most` is how often `work` ran between two turns of the event loop. */
async function start(route: (work: () => void) => Route) {
  let [most, now] = [0, 0];
  let isOver = false;
  const look = async () => {
    for (; !isOver; now = 0) await turn();
  };
  void look();
  const count = () => {
    most = Math.max(most, ++now);
    work();
  };
  server = await startControl({ listen: '127.0.0.1:0', routes: [route(count)] });
  return {
    url: server.url,
    end: () => {
      isOver = true;
      return most;
    },
  };
}

/** Between two slices, and one that began in the turn before. */
const MOST = 2;
const READERS = 8;
const EVENTS = 6;

it('other clients are served between the events of any two readers', async () => {
  const { url, end } = await start((work) => ({
    method: 'GET',
    path: '/v1/events',
    handle: () => ({
      events: {
        overrun: new AbortController().signal,
        async *[Symbol.asyncIterator]() {
          for (let event = 0; event < EVENTS; event++) {
            work();
            yield Buffer.from('data: x\n\n');
          }
        },
      },
    }),
  }));
  const read = async () => (await fetch(`${url}/v1/events`)).text();
  const texts = await Promise.all(Array.from({ length: READERS }, read));
  expect(texts).toEqual(Array(READERS).fill('data: x\n\n'.repeat(EVENTS)));
  expect(end()).toBeLessThanOrEqual(MOST);
});

it('other clients are served while a large reply is made', async () => {
  const { url, end } = await start((work) => {
    const item = {
      toJSON: () => {
        work();
        return 'x'.repeat(70_000);
      },
    };
    return { method: 'GET', path: '/v1/x', handle: () => ({ json: { list: Array(101).fill(item) } }) };
  });
  const reply = await (await fetch(`${url}/v1/x`)).json();
  expect(reply).toEqual({ list: Array(101).fill('x'.repeat(70_000)) });
  expect(end()).toBeLessThanOrEqual(MOST);
});

it('other clients are served between any two requests, and between reading a body and handling it', async () => {
  const { url, end } = await start((work) => ({
    method: 'POST',
    path: '/v1/:what',
    handle: async ({ params, body }) => {
      if (params.what === 'first') return { json: {} };
      work();
      await body(z.unknown());
      work();
      return { json: {} };
    },
  }));
  const { port } = new URL(url);
  const clients = Array.from({ length: READERS }, () => connect(Number(port), '127.0.0.1'));
  // An answer shows that the connection is accepted, so that the requests come in the same turn.
  for (const client of clients) client.write('POST /v1/first HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await Promise.all(clients.map((client) => once(client, 'data')));
  for (const client of clients)
    client.write(
      'POST /v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );
  const answers = await Promise.all(clients.map(text));
  expect(answers.every((answer) => answer.startsWith('HTTP/1.1 200'))).toBe(true);
  expect(end()).toBeLessThanOrEqual(MOST);
});

it('refuses a body that would take more than a tenth of a second to parse', async () => {
  const route: Route = {
    method: 'POST',
    path: '/v1/x',
    handle: async ({ body }) => ({ json: await body(z.unknown()) }),
  };
  server = await startControl({ listen: '127.0.0.1:0', routes: [route] });
  const post = async (body: string) => {
    const answer = await fetch(`${server?.url}/v1/x`, { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };
  expect((await post(`[${'1,'.repeat(5000)}]`)).status).toBe(200);
  for (const item of ['1,', '"a",'])
    expect(await post(`[${item.repeat(100_000)}]`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('more than 20000 words and signs; send less at a time'),
    });
  expect(await post('a: 1\n'.repeat(100_000))).toMatchObject({ status: 400 });
});
