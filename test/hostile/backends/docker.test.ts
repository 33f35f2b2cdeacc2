import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createDockerBackend } from '../../../adapters/docker/docker-backend.js';
import { readFrames } from '../../../adapters/docker/logs/frames.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { Backend, BackendCondition, BackendHost } from '../../../src/runtime/engine/backend.js';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const MIB = 1024 * 1024;

const temporary = useTemporaryDirectories();
const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

type Answer = (reply: ServerResponse) => void;

const json =
  (body: unknown, status = 200): Answer =>
  (reply) =>
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const text =
  (body: string, headers: Record<string, string> = {}, status = 200): Answer =>
  (reply) =>
    reply.writeHead(status, headers).end(body);
/** The beginning of an answer, and then the end of the connection. */
const broken: Answer = (reply) => void reply.write('[{"Id":', () => reply.destroy());

/** Something that answers as Docker where nothing else is wanted. */
class HostileDocker {
  /** By a part of the path, the first that fits. */
  answers: Readonly<Record<string, Answer>> = {};
  /** What was taken of endless answers, in bytes. */
  taken = 0;
  readonly host: string;
  readonly #events: ServerResponse[] = [];

  constructor() {
    const path = join(temporary(), 'docker.sock');
    this.host = `unix://${path}`;
    const server = createServer((request, reply) => {
      request.resume();
      const path = request.url?.replace(/^\/v1\.\d+/, '') ?? '';
      const find = (answers: Readonly<Record<string, Answer>>) =>
        Object.entries(answers).find(([part]) => path.includes(part))?.[1];
      (find(this.answers) ?? find(this.#usual) ?? json({ message: 'no such thing' }, 404))(reply);
    });
    server.listen(path);
    closings.push(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** The streams of events that are open end. */
  endEvents(): void {
    for (const reply of this.#events.splice(0)) reply.end();
  }

  readonly #usual: Readonly<Record<string, Answer>> = {
    '/version': json({ Version: '20.10.24', ApiVersion: '1.41' }),
    '/info': json({ DockerRootDir: '/', Runtimes: {} }),
    '/events': (reply) => {
      reply.writeHead(200).flushHeaders();
      this.#events.push(reply);
    },
    '/containers/json': json([]),
    '/images/json': json([]),
  };

  /** Writes the same piece without end, as fast as it is read. */
  endless(piece: string, first = ''): Answer {
    const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
    return (reply) => {
      reply.on('error', () => {});
      reply.write(first);
      const more = () => {
        while (!reply.destroyed) {
          this.taken += chunk.length;
          if (!reply.write(chunk)) break;
        }
      };
      reply.on('drain', more);
      more();
    };
  }
}

const clock = createRealClock();
const call = { signal: new AbortController().signal };

/** A backend of it, and what it says of it from now on. */
async function open(docker: HostileDocker): Promise<{ backend: Backend; conditions: BackendCondition[] }> {
  const conditions: BackendCondition[] = [];
  const backend = await createDockerBackend({ clock, host: docker.host });
  const host = { conditionChanged: (condition: BackendCondition) => conditions.push(condition) };
  closings.push(() => backend.close());
  await backend.open(host as unknown as BackendHost);
  return { backend, conditions };
}

/** How a promise ends: with its value as text, or with the message of its error. */
const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `no error: ${JSON.stringify(value)?.slice(0, 100)}`,
    (error) => String(error.message),
  );

/** The least that hostile Docker sends before it would be too much, in bytes. */
const MOST = 80 * MIB;

it.each<[what: string, answers: (docker: HostileDocker) => HostileDocker['answers'], message: RegExp]>([
  ['an endless version', (docker) => ({ '/version': docker.endless('[') }), /more than 64 MiB/],
  [
    'an endless error',
    (docker) => ({ '/version': (reply) => docker.endless('[')(reply.writeHead(500)) }),
    /more than 64 MiB/,
  ],
  ['a page', () => ({ '/version': text('<html>', { 'content-type': 'text/html' }) }), /is it Docker/],
  ['a number', () => ({ '/version': json(7) }), /is it Docker/],
  [
    'a version of another kind',
    () => ({ '/version': json({ Version: {}, ApiVersion: 1.41 }) }),
    /is it Docker/,
  ],
  [
    'a redirection',
    () => ({ '/version': text('', { location: 'http://127.0.0.1:9/' }, 301) }),
    /HTTP status 301; is it Docker/,
  ],
  ['the end of the connection', () => ({ '/version': broken }), /does not answer/],
  ['endless information', (docker) => ({ '/info': docker.endless('{') }), /more than 64 MiB/],
  ['no information', () => ({ '/info': json(null) }), /is it Docker/],
])('refuses to start with %s', async (_, answers, message) => {
  const docker = new HostileDocker();
  docker.answers = answers(docker);
  expect(await outcome(createDockerBackend({ clock, host: docker.host }))).toMatch(message);
  expect(docker.taken).toBeLessThan(MOST);
});

it('gives up on information that never arrives', async () => {
  const docker = new HostileDocker();
  let isAsked = false;
  docker.answers = {
    '/info': () => {
      isAsked = true;
    },
  };
  const virtual = createVirtualClock();
  const ended = virtual.run(() => outcome(createDockerBackend({ clock: virtual, host: docker.host })));
  await eventually(() => isAsked).toBe(true);
  await virtual.advance(10_000);
  expect(await ended).toMatch(/nothing came for 10 s/);
});

it.each<[what: string, answers: (docker: HostileDocker) => HostileDocker['answers'], message: RegExp]>([
  [
    'an endless listing',
    (docker) => ({ '/containers/json': docker.endless('{"Id":"d"},', '[') }),
    /more than 64 MiB/,
  ],
  ['a listing that is none', () => ({ '/containers/json': json({ all: 1 }) }), /that Docker does not send/],
  ['a listing of nothings', () => ({ '/containers/json': json([null, 1]) }), /that Docker does not send/],
  ['a listing that breaks off', () => ({ '/containers/json': broken }), /./],
  ['events without line ends', (docker) => ({ '/events': docker.endless('x') }), /more than 1 MiB/],
  ['events that are none', () => ({ '/events': text('null\n[]\nx\n') }), /that Docker does not send/],
  ['events of another type', () => ({ '/events': text('{"Actor":7,"Action":[],"timeNano":"x"}\n') }), /./],
])('is not ready with %s, and is again afterwards', async (_, answers, message) => {
  const docker = new HostileDocker();
  const { conditions } = await open(docker);
  docker.answers = answers(docker);
  // The stream of events ends, and everything is asked for again.
  docker.endEvents();
  await eventually(() => conditions.some((one) => !one.status && message.test(one.message))).toBe(true);
  expect(docker.taken).toBeLessThan(MOST);
  docker.answers = {};
  await eventually(() => conditions.at(-1)?.status).toBe(true);
});

const image = { Id: 'i', RepoTags: ['a:1'], Size: 1 };

it.each<[what: string, answers: (docker: HostileDocker) => HostileDocker['answers'], message: RegExp]>([
  [
    'an endless list',
    (docker) => ({ '/images/json': docker.endless('{"Id":"i"},', '[') }),
    /more than 64 MiB/,
  ],
  ['a list that is none', () => ({ '/images/json': json({ all: 1 }) }), /that Docker does not send/],
  ['a list of nothings', () => ({ '/images/json': json([null]) }), /that Docker does not send/],
  ['a list that breaks off', () => ({ '/images/json': broken }), /Docker is away/],
  [
    'an endless image',
    (docker) => ({ '/images/json': json([image]), '/images/i/json': docker.endless(' ') }),
    /more than 64 MiB/,
  ],
  [
    'a size that is none',
    () => ({ '/images/json': json([image]), '/images/i/json': json({ Id: 'i', Size: 'x' }) }),
    /that Docker does not send/,
  ],
])('answers with an error for images: %s', async (_, answers, message) => {
  const docker = new HostileDocker();
  const { backend } = await open(docker);
  docker.answers = answers(docker);
  expect(await outcome(backend.images.list())).toMatch(message);
  expect(docker.taken).toBeLessThan(MOST);
  docker.answers = {};
  expect(await backend.images.list()).toEqual([]);
});

it('asks for hundreds of images one after another', async () => {
  const docker = new HostileDocker();
  const { backend } = await open(docker);
  let [inFlight, most] = [0, 0];
  docker.answers = {
    '/images/json': json(Array.from({ length: 200 }, () => image)),
    '/images/i/json': (reply) => {
      most = Math.max(most, ++inFlight);
      reply.on('close', () => inFlight--);
      json(image)(reply);
    },
  };
  expect(await backend.images.list()).toHaveLength(200);
  expect(most).toBeLessThan(50);
});

it.each<[what: string, answer: (docker: HostileDocker) => Answer, message: RegExp]>([
  ['progress without line ends', (docker) => docker.endless('x'), /more than 1 MiB/],
  ['invalid progress', () => text('null\n7\n'), /that Docker does not send/],
  ['progress that is not JSON', () => text('{{{\n'), /that Docker does not send/],
  ['a page', () => text('<html>', {}, 404), /./],
  [
    'an endless refusal',
    (docker) => (reply) => docker.endless('x')(reply.writeHead(500)),
    /more than 64 MiB/,
  ],
])('answers with an error for a pull: %s', async (_, answer, message) => {
  const docker = new HostileDocker();
  const { backend } = await open(docker);
  docker.answers = { '/images/create': answer(docker) };
  const pulled = backend.images.pull({ image: { image: 'a:1' } } as never, call);
  expect(await outcome(pulled)).toMatch(message);
  expect(docker.taken).toBeLessThan(MOST);
});

it('refuses a frame of gigabytes', async () => {
  let taken = 0;
  async function* output() {
    yield Buffer.from([1, 0, 0, 0, 255, 255, 255, 255]);
    for (; taken < 64 * MIB; taken += 65_536) yield Buffer.alloc(65_536);
  }
  const read = async () => {
    for await (const _frame of readFrames(output()));
  };
  expect(await outcome(read())).toMatch(/a frame of 4294967295 bytes/);
  expect(taken).toBeLessThan(2 * MIB);
});
