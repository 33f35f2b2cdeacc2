import { createHash } from 'node:crypto';
import type { Check } from '../check.js';
import type { CheckContext } from '../check-context.js';
import { must, mustEqual } from '../expect.js';
import { Refused, type Session, type StreamChannel, type StreamProtocol } from '../streams/session.js';
import { SpdyClient, spdy } from '../streams/spdy.js';
import { webSocket } from '../streams/websocket.js';
import { Violation } from '../violation.js';

const LARGE = 1024 * 1024;

/** Bytes of all values, the same each time. */
const binary = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256));

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Waits until a channel fits. */
const until = (t: CheckContext, what: string, fits: () => boolean): Promise<boolean> =>
  t.eventually(
    async () => fits(),
    (isSo) => isSo,
    what,
  );

/** A runtime that refuses to open what it gave an address for. */
async function opened<T>(what: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Refused) throw new Violation(`${what} to be opened`, error.message);
    throw error;
  }
}

interface Command {
  readonly cmd: readonly string[];
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

async function exec(t: CheckContext, protocol: StreamProtocol, containerId: string, command: Command) {
  const { cmd, stdin = false, tty = false } = command;
  const { url } = await t.cri.exec({ containerId, cmd: [...cmd], stdin, stdout: true, stderr: !tty, tty });
  return opened(`exec over ${protocol.name}`, protocol.open({ url, stdin, tty }));
}

/** The exit code in the status at the end of an exec; undefined for a success. */
async function exitCodeOf(t: CheckContext, { error }: Session): Promise<string | undefined> {
  await until(t, 'the status of the command', () => error.received().length > 0);
  const status = JSON.parse(error.received().toString()) as {
    readonly status: string;
    readonly details?: {
      readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
    };
  };
  if (status.status === 'Success') return undefined;
  return (
    status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message ?? `${error.received()}`
  );
}

/** Expects a channel to receive exactly these bytes. */
async function mustReceive(
  t: CheckContext,
  channel: StreamChannel,
  expected: Buffer,
  what: string,
): Promise<void> {
  await until(t, `${expected.length} bytes of ${what}`, () => channel.received().length >= expected.length);
  mustEqual(
    [channel.received().length, hash(channel.received())],
    [expected.length, hash(expected)],
    `length and SHA-256 of ${what}`,
  );
}

const GROUP = 'exec and streaming';

const dataChecks = (protocol: StreamProtocol): readonly Check[] => [
  {
    id: `INV-64.exec-${protocol.name}`,
    group: GROUP,
    tag: 'spec',
    rule: `Exec over ${protocol.name} carries 1 MiB of any bytes in and out, separates stderr, and ends with the exit code.`,
    source: 'cri-api ExecResponse.url; cri-streaming; kubectl exec',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const large = binary(LARGE);
      const cmd = ['sh', '-c', `head -c ${LARGE}; echo done >&2; exit 3`];
      const session = await exec(t, protocol, containerId, { cmd, stdin: true });
      try {
        for (let at = 0; at < LARGE; at += 32_768) await session.stdin?.send(large.subarray(at, at + 32_768));
        await mustReceive(t, session.stdout, large, 'stdout');
        mustEqual(await exitCodeOf(t, session), '3', 'the exit code in the status');
        mustEqual(session.stderr?.received().toString(), 'done\n', 'stderr');
      } finally {
        session.close();
      }
    },
  },
  {
    id: `INV-64.half-closed-${protocol.name}`,
    group: GROUP,
    tag: 'common',
    rule: `Over ${protocol.name}, a client can close stdin of an exec and still receive what the command then says.`,
    source: 'cri-streaming; `kubectl exec -i`, such as a tar that is copied',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const cmd = ['sh', '-c', 'cat > /dev/null; sleep 0.1; echo after the end'];
      const session = await exec(t, protocol, containerId, { cmd, stdin: true });
      try {
        await session.stdin?.send(Buffer.from('some input'));
        if (session.stdin?.end() === false) t.skip('WebSocket without v5.channel.k8s.io cannot close stdin');
        await mustReceive(t, session.stdout, Buffer.from('after the end\n'), 'stdout');
        mustEqual(await exitCodeOf(t, session), undefined, 'the exit code in the status');
      } finally {
        session.close();
      }
    },
  },
  {
    id: `INV-64.resize-${protocol.name}`,
    group: GROUP,
    tag: 'common',
    rule: `Over ${protocol.name}, the terminal of an exec gets each size that the client sends.`,
    source: 'cri-streaming resize; kubectl exec -t',
    async run(t) {
      const containerId = await t.start(await t.sandbox());
      const cmd = ['sh', '-c', 'while read line; do stty size; done'];
      const session = await exec(t, protocol, containerId, { cmd, stdin: true, tty: true });
      try {
        for (const [Height, Width] of [
          [41, 101],
          [17, 203],
        ] as const) {
          await session.resize?.send(Buffer.from(JSON.stringify({ Width, Height })));
          // The size and the line are on different channels, so the first answers may have the old size.
          const shows = async () => {
            await session.stdin?.send(Buffer.from('\n'));
            return session.stdout.received().toString();
          };
          await t.eventually(
            shows,
            (text) => text.includes(`${Height} ${Width}`),
            `the size ${Height} ${Width}`,
          );
        }
      } finally {
        session.close();
      }
    },
  },
  {
    id: `INV-64.attach-${protocol.name}`,
    group: GROUP,
    tag: 'spec',
    rule: `Attach over ${protocol.name} carries input to the container and its output back, for two clients at the same time.`,
    source: 'cri-api AttachResponse.url; kubectl attach',
    async run(t) {
      const containerId = await t.start(await t.sandbox(), { command: ['cat'], stdin: true });
      const attach = async () => {
        const { url } = await t.cri.attach({ containerId, stdin: true, stdout: true, stderr: true });
        return opened(`attach over ${protocol.name}`, protocol.open({ url, stdin: true }));
      };
      const [one, two] = [await attach(), await attach()];
      try {
        const seen = async () => {
          await one.stdin?.send(Buffer.from('hello\n'));
          return [one, two].map(({ stdout }) => stdout.received().toString());
        };
        await t.eventually(
          seen,
          (texts) => texts.every((text) => text.includes('hello\n')),
          'the output of the container for both clients',
        );
      } finally {
        one.close();
        two.close();
      }
    },
  },
];

/** A port that hardly anything else has, as pods of some runtimes share the ports of the machine. */
const anyPort = ({ clock }: CheckContext): number => 20_000 + Number((clock.now() / 1000n) % 40_000n);

/** A connection for ports of a pod in which everything that is sent to `port` comes back. */
async function echoing(t: CheckContext): Promise<{ readonly client: SpdyClient; readonly port: number }> {
  const sandbox = await t.sandbox();
  const port = anyPort(t);
  const listen = (flags: string) => `nc ${flags} -p ${port} -e cat 2>/dev/null`;
  const containerId = await t.script(sandbox, `${listen('-lk')} || ${listen('-ll')}`);
  const hex = port.toString(16).toUpperCase();
  const cmd = ['sh', '-c', `cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":${hex} "`];
  await t.eventually(
    () => t.cri.execSync({ containerId, cmd, timeout: 10n }),
    ({ exitCode }) => exitCode === 0,
    'a listener in the pod',
  );
  const { url } = await t.cri.portForward({ podSandboxId: sandbox.id });
  return { port, client: await opened('port-forward', SpdyClient.connect(url, 'portforward.k8s.io')) };
}

interface Forward {
  readonly error: StreamChannel;
  readonly data: StreamChannel;
}

async function forward(client: SpdyClient, port: number, requestid: string): Promise<Forward> {
  const headers = { port: String(port), requestid };
  const error = await client.open({ ...headers, streamtype: 'error' });
  return { error, data: await client.open({ ...headers, streamtype: 'data' }) };
}

/** Sends something, closes this half, and expects it back. A client closes the error stream at once, as kubectl does. */
async function mustEcho(t: CheckContext, { data, error }: Forward, what: Buffer): Promise<void> {
  error.end();
  await data.send(what);
  data.end();
  await mustReceive(t, data, what, 'a forwarded connection');
  await until(t, 'the other half to be closed too', () => data.hasEnded);
  mustEqual(error.received().toString(), '', 'the error stream');
}

export const streamChecks: readonly Check[] = [
  ...[spdy, webSocket].flatMap(dataChecks),
  {
    id: 'INV-64.port-forward',
    group: GROUP,
    tag: 'spec',
    rule: 'PortForward carries any bytes in both directions, and a client can close its half of a connection.',
    source: 'cri-api PortForwardResponse.url; kubectl port-forward',
    needs: ['network ready'],
    async run(t) {
      const { client, port } = await echoing(t);
      try {
        const connection = await forward(client, port, '0');
        await mustEcho(t, connection, binary(LARGE / 4));
      } finally {
        client.close();
      }
    },
  },
  {
    id: 'INV-64.port-forwards',
    group: GROUP,
    tag: 'common',
    rule: 'Of 50 forwarded connections at the same time, those that fail or are broken off do not disturb the others; each error is on its own stream.',
    source: 'cri-streaming portforward; kubectl port-forward',
    needs: ['network ready'],
    upstream: ['containerd#12039'],
    async run(t) {
      const { client, port } = await echoing(t);
      try {
        const numbers = Array.from({ length: 50 }, (_, index) => index);
        // Every second one is for a port that nothing listens on; of the others each third is broken off.
        const closed = port + 1;
        const portOf = (index: number) => (index % 2 === 0 ? port : closed);
        const all = await Promise.all(numbers.map((index) => forward(client, portOf(index), String(index))));
        await Promise.all(
          all.map(async (connection, index) => {
            if (portOf(index) === closed) {
              await connection.data.send(Buffer.from('x')).catch(() => {});
              await until(t, `an error on stream ${index}`, () => connection.error.received().length > 0);
              const text = connection.error.received().toString();
              must(text.includes(String(closed)), `an error about port ${closed} on stream ${index}`, text);
            } else if (index % 6 === 0) {
              await connection.data.send(Buffer.from(`broken off ${index}`));
              connection.data.reset();
            } else {
              await mustEcho(t, connection, Buffer.from(`connection ${index};`.repeat(100)));
            }
          }),
        );
      } finally {
        client.close();
      }
    },
  },
];
