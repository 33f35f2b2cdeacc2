import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import type { Backend, BackendHost, SandboxSpec } from '../../src/runtime/engine/backend.js';
import { useTemporaryDirectories } from '../../test/support/temporary.js';
import { createDockerBackend } from './docker-backend.js';
import { probeLabels, sandboxLabels } from './labels.js';

const temporary = useTemporaryDirectories();
const clock = createRealClock();
const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

const sandbox = (id: string): SandboxSpec => ({
  id,
  config: PodSandboxConfig.fromPartial({ metadata: { name: id } }),
  runtimeHandler: '',
  createdAt: 1n,
});
/** How Docker knows a container of ours: its id, in which sandbox, its labels. */
const identities = {
  sandbox: { ...sandboxLabels(sandbox('late')) },
  container: { ...sandboxLabels(sandbox('late')), 'dev.mockri.kind': 'container', 'dev.mockri.sandbox': 's' },
  probe: { ...probeLabels('late') },
};
type Labels = Readonly<Record<string, string>>;

/** As Docker: a container is listed, and its event sent, once it is made, however late that is. */
class FakeDocker {
  readonly containers = new Map<string, Labels>();
  readonly removals: string[] = [];
  readonly #streams: { reply: ServerResponse; wanted: readonly string[] }[] = [];
  readonly #past: { line: string; action: string; time: number }[] = [];
  /** When it subscribes to the events that it was asked for, after the beginning of its answer. */
  subscribes: Promise<void> = Promise.resolve();
  /** Called after each listing. */
  onListed: () => void = () => {};
  /** Called for a request to create a container; the test answers it. */
  onCreate: (labels: Labels, reply: ServerResponse, request: IncomingMessage) => void = () => {};
  #told: () => void = () => {};

  /** Docker has created the container, and started it if `isStarted`. */
  make(labels: Labels): void {
    const name = `mockri-${labels['dev.mockri.id']}`;
    this.containers.set(name, labels);
    this.#tell('create', name, labels);
  }

  /** Resolves after the next removal. */
  removed(): Promise<void> {
    return new Promise((resolve) => {
      this.#told = resolve;
    });
  }

  #tell(action: string, name: string, labels: Labels): void {
    const line = `${JSON.stringify({ Action: action, timeNano: 1, Actor: { ID: name, Attributes: labels } })}\n`;
    this.#past.push({ line, action, time: Number(clock.now()) / 1e9 });
    for (const { reply, wanted } of this.#streams) if (wanted.includes(action)) reply.write(line);
  }

  async listen(path: string): Promise<string> {
    const server = createServer((request, reply) => void this.#answer(request, reply));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    closings.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `unix://${path}`;
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://docker');
    const path = pathname.replace(/^\/v1\.\d+/, '');
    const [, , id = '', verb = ''] = path.split('/');
    const say = (body: object, status = 200) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/version') say({ Version: '20.10.24', ApiVersion: '1.41' });
    else if (path === '/info') say({ DockerRootDir: '/', Runtimes: {} });
    else if (path === '/events') await this.#follow(searchParams, reply);
    else if (path === '/containers/json') {
      say(this.#listing());
      this.onListed();
    } else if (path === '/containers/create') {
      let body = '';
      for await (const chunk of request) body += chunk;
      this.onCreate((JSON.parse(body) as { Labels: Labels }).Labels, reply, request);
    } else if (request.method === 'DELETE') {
      this.removals.push(id);
      const wasThere = this.containers.delete(id);
      if (wasThere) reply.writeHead(204).end();
      else say({ message: `No such container: ${id}` }, 404);
      this.#told();
    } else if (verb === 'start') reply.writeHead(204).end();
    else if (path.startsWith('/images/')) say({ message: 'layer does not exist' }, 500);
    else say({ State: { Running: true }, NetworkSettings: { Networks: {} }, HostConfig: {} });
  }

  /** As Docker, the answer begins before the events are subscribed to, and only with `since` are there earlier ones. */
  async #follow(query: URLSearchParams, reply: ServerResponse): Promise<void> {
    reply.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    await this.subscribes;
    const { event: wanted = [] } = JSON.parse(query.get('filters') ?? '{}') as { event?: string[] };
    const since = Number(query.get('since') ?? Number.POSITIVE_INFINITY);
    for (const { line, action, time } of this.#past)
      if (time >= since && wanted.includes(action)) reply.write(line);
    this.#streams.push({ reply, wanted });
  }

  #listing() {
    return [...this.containers].map(([Id, Labels]) => ({ Id, Labels, State: 'created' }));
  }
}

async function openBackend(docker: FakeDocker): Promise<Backend> {
  const host = await docker.listen(join(temporary(), 'docker.sock'));
  const backend = await createDockerBackend({ clock, host });
  await backend.open({ conditionChanged: () => {} } as unknown as BackendHost);
  closings.push(() => backend.close());
  return backend;
}

const call = { signal: new AbortController().signal };

const created = (reply: ServerResponse) =>
  reply.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ Id: 'd', Warnings: [] }));

it.each(['sandbox', 'container', 'probe'] as const)(
  'removes a %s that Docker makes for a server that was killed, when the next one has listed everything',
  async (kind) => {
    const docker = new FakeDocker();
    await openBackend(docker);
    const removed = docker.removed();
    docker.make(identities[kind]);
    await removed;
    expect(docker.containers.size).toBe(0);
  },
);

it('misses nothing that is made after the listing, when Docker has not subscribed to its events yet', async () => {
  const docker = new FakeDocker();
  const removed = docker.removed();
  docker.subscribes = new Promise((subscribe) => {
    docker.onListed = () => {
      docker.make(identities.sandbox);
      subscribe();
    };
  });
  await openBackend(docker);
  await removed;
  expect(docker.containers.size).toBe(0);
});

it('removes what Docker makes after the reply to its request was lost', async () => {
  const docker = new FakeDocker();
  const backend = await openBackend(docker);
  docker.onCreate = (_labels, _reply, request) => request.socket.destroy();
  // An absent object can't be removed.
  await expect(backend.runSandbox(sandbox('late'), call)).rejects.toThrow('Docker is away');
  expect(docker.removals).toEqual(['mockri-late']);
  const removed = docker.removed();
  docker.make(identities.sandbox);
  await removed;
  expect(docker.containers.size).toBe(0);
});

it('removes what Docker makes while its request fails', async () => {
  const docker = new FakeDocker();
  const backend = await openBackend(docker);
  docker.onCreate = (labels, _reply, request) => {
    docker.make(labels);
    request.socket.destroy();
  };
  await expect(backend.runSandbox(sandbox('late'), call)).rejects.toThrow('Docker is away');
  expect(docker.containers.size).toBe(0);
});

it('keeps what it makes itself, however late Docker answers', async () => {
  const docker = new FakeDocker();
  const backend = await openBackend(docker);
  docker.onCreate = (labels, reply) => {
    docker.make(labels);
    // The event of an unknown container follows: once that one is gone, the first event was handled.
    void docker.removed().then(() => created(reply));
    docker.make({ ...identities.probe, 'dev.mockri.id': 'stray' });
  };
  await backend.runSandbox(sandbox('own'), call);
  expect(docker.removals).toEqual(['mockri-stray']);
  expect([...docker.containers.keys()]).toEqual(['mockri-own']);
});

it('takes an image that Docker is removing for one that is gone', async () => {
  const { images } = await openBackend(new FakeDocker());
  expect(await images.find('busybox:1')).toBeUndefined();
});
