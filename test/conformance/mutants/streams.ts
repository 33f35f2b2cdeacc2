import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { before, type Mutant, type MutantContext, mutant } from './mutant.js';

/** Wraps the command of an exec in this shell script, as "$@". */
const through = (script: string) =>
  before('exec', (request) => {
    request.cmd = ['sh', '-c', script, 'sh', ...request.cmd];
  });

/** Another address for the same server; the connection ends with the first matching text. */
async function brittle(url: string, text: string, { atEnd }: MutantContext): Promise<string> {
  const target = new URL(url);
  const { port, hostname } = target;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (!chunk.includes(text)) client.write(chunk);
      else for (const socket of [client, upstream]) socket.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  target.port = String((server.address() as AddressInfo).port);
  return target.href;
}

const PROTOCOLS = ['SPDY', 'WebSocket'] as const;
const both = (check: string): string[] => PROTOCOLS.map((protocol) => `INV-64.${check}-${protocol}`);

export const streamMutants: readonly Mutant[] = [
  mutant('exec loses the exit code', both('exec'), through('"$@"; exit 0')),
  mutant('exec loses the last bytes', both('exec'), through('"$@" | head -c 1048000; exit 3')),
  mutant(
    'exec loses what a command says after the end of its input',
    both('half-closed'),
    through('"$@" > /dev/null'),
  ),
  mutant(
    'the terminal of an exec has no size',
    both('resize'),
    before('exec', (request) => {
      request.tty = false;
    }),
  ),
  mutant(
    'attach has no input',
    both('attach'),
    before('attach', (request) => {
      request.stdin = false;
    }),
  ),
  mutant(
    'a container with stdin_once does not end with its first client',
    both('attach-data'),
    before('createContainer', ({ config }) => {
      if (config) config.stdinOnce = false;
    }),
  ),
  mutant(
    'the terminal of an attach has no size',
    both('attach-resize'),
    before('createContainer', ({ config }) => {
      if (config) config.tty = false;
    }),
  ),
  mutant('port-forward goes to another pod', 'INV-64.port-forward', (real) => ({
    portForward: async (request, call) => {
      const { items } = await real.listPodSandbox({ filter: undefined }, call);
      const metadata = { name: 'other', uid: 'other', namespace: 'conformance', attempt: 0 };
      const labels = items[0]?.labels ?? {};
      const config = PodSandboxConfig.fromPartial({ metadata, labels, linux: {} });
      const { podSandboxId } = await real.runPodSandbox({ config, runtimeHandler: '' }, call);
      return real.portForward({ ...request, podSandboxId }, call);
    },
  })),
  {
    ...mutant(
      'containerd#12039: an error of one connection ends all',
      'INV-64.port-forwards',
      (real, context) => ({
        portForward: async (request, call) => {
          const { url } = await real.portForward(request, call);
          return { url: await brittle(url, 'error forwarding port', context) };
        },
      }),
    ),
    upstream: 'containerd#12039',
  },
];
