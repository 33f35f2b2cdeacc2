import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual } from '../../expect.js';
import type { StreamChannel } from '../../streams/session.js';
import { SpdyClient } from '../../streams/spdy.js';
import { binary, LARGE, mustReceive, opened, until } from '../steps/channels.js';
import { output } from '../steps/look-inside.js';

/** Ports of a pod that 25 connections share. */
const LISTENERS = 10;

/** A port that is probably unused, as pods of some runtimes share the ports of the machine. */
const anyPort = ({ clock }: CheckContext): number => 20_000 + Number((clock.now() / 1000n) % 40_000n);

/** A connection to echoing ports of a pod. `nc` queues only two connections: more need more ports. */
async function echoing(
  t: CheckContext,
  count = 1,
): Promise<{ readonly client: SpdyClient; readonly ports: readonly number[] }> {
  const sandbox = await t.sandbox();
  const first = anyPort(t);
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const listen = (port: number, flags: string) => `nc ${flags} -p ${port} -e cat 2>/dev/null`;
  const script = ports.map((port) => `(${listen(port, '-lk')} || ${listen(port, '-ll')}) &`).join(' ');
  const containerId = await t.script(sandbox, `${script} wait`);
  const listening = 'cat /proc/net/tcp /proc/net/tcp6 2>/dev/null';
  const hex = ports.map((port) => port.toString(16).toUpperCase());
  await t.eventually(
    () => output(t, containerId, listening),
    (text) => hex.every((port) => text.includes(`:${port} `)),
    'listeners in the pod',
  );
  const { url } = await t.cri.portForward({ podSandboxId: sandbox.id });
  return { ports, client: await opened('port-forward', SpdyClient.connect(url, 'portforward.k8s.io')) };
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

/** Sends data, closes this half, and expects the data back. Closes the error stream immediately, as kubectl does. */
async function mustEcho(t: CheckContext, { data, error }: Forward, what: Buffer): Promise<void> {
  error.end();
  await data.send(what);
  data.end();
  // An error says more than missing bytes.
  const told = () => error.received().toString();
  await until(
    t,
    `${what.length} bytes of a forwarded connection, or an error`,
    () => told() !== '' || data.received().length >= what.length,
  );
  mustEqual(told(), '', 'the error stream');
  await mustReceive(t, data, what, 'a forwarded connection');
  await until(t, 'the other half to be closed too', () => data.hasEnded);
  mustEqual(told(), '', 'the error stream');
}

export const portForwardChecks: Checks = {
  async 'INV-64.port-forward'(t) {
    const { client, ports } = await echoing(t);
    try {
      const connection = await forward(client, ports[0] as number, '0');
      await mustEcho(t, connection, binary(LARGE / 4));
    } finally {
      client.close();
    }
  },
  async 'INV-64.port-forwards'(t) {
    const { client, ports } = await echoing(t, LISTENERS);
    try {
      const numbers = Array.from({ length: 50 }, (_, index) => index);
      // Every second one uses a port without a listener; every third of the others is interrupted.
      const closed = (ports[0] as number) - 1;
      const portOf = (index: number) =>
        index % 2 === 0 ? (ports[(index / 2) % LISTENERS] as number) : closed;
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
};
