import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { mustEqual } from '../../expect.js';
import type { Session, StreamProtocol } from '../../streams/session.js';
import { spdy } from '../../streams/spdy.js';
import { webSocket } from '../../streams/websocket.js';
import { binary, LARGE, mustReceive, opened, until } from '../steps/channels.js';

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

async function attach(t: CheckContext, protocol: StreamProtocol, containerId: string, tty = false) {
  const { url } = await t.cri.attach({ containerId, stdin: true, stdout: true, stderr: !tty, tty });
  return opened(`attach over ${protocol.name}`, protocol.open({ url, stdin: true, tty }));
}

async function sendInPieces({ stdin }: Session, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 32_768) await stdin?.send(bytes.subarray(at, at + 32_768));
}

/** Expects a terminal to get each size; its program prints its size for each line of input. */
async function mustResize(t: CheckContext, session: Session): Promise<void> {
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
    await t.eventually(shows, (text) => text.includes(`${Height} ${Width}`), `the size ${Height} ${Width}`);
  }
}

/** Prints the size of its terminal for each line of input. */
const SIZES = ['sh', '-c', 'while read line; do stty size; done'];

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

const dataChecks = (protocol: StreamProtocol): Checks => ({
  async [`INV-64.exec-${protocol.name}`](t) {
    const containerId = await t.start(await t.sandbox());
    const large = binary(LARGE);
    const cmd = ['sh', '-c', `head -c ${LARGE}; echo done >&2; exit 3`];
    const session = await exec(t, protocol, containerId, { cmd, stdin: true });
    try {
      await sendInPieces(session, large);
      await mustReceive(t, session.stdout, large, 'stdout');
      mustEqual(await exitCodeOf(t, session), '3', 'the exit code in the status');
      mustEqual(session.stderr?.received().toString(), 'done\n', 'stderr');
    } finally {
      session.close();
    }
  },
  async [`INV-64.half-closed-${protocol.name}`](t) {
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
  async [`INV-64.resize-${protocol.name}`](t) {
    const containerId = await t.start(await t.sandbox());
    const session = await exec(t, protocol, containerId, { cmd: SIZES, stdin: true, tty: true });
    try {
      await mustResize(t, session);
    } finally {
      session.close();
    }
  },
  async [`INV-64.attach-${protocol.name}`](t) {
    const containerId = await t.start(await t.sandbox(), { command: ['cat'], stdin: true });
    const [one, two] = [await attach(t, protocol, containerId), await attach(t, protocol, containerId)];
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
  async [`INV-64.attach-data-${protocol.name}`](t) {
    const large = binary(LARGE / 4);
    const config = { command: ['cat'], stdin: true, stdinOnce: true };
    const containerId = await t.start(await t.sandbox(), config);
    const session = await attach(t, protocol, containerId);
    try {
      await sendInPieces(session, large);
      await mustReceive(t, session.stdout, large, 'stdout');
      // WebSocket without v5.channel.k8s.io cannot close a half.
      if (session.stdin?.end()) mustEqual((await t.exited(containerId)).exitCode, 0, 'the exit code of cat');
    } finally {
      session.close();
    }
  },
  async [`INV-64.attach-resize-${protocol.name}`](t) {
    const config = { command: SIZES, stdin: true, tty: true };
    const containerId = await t.start(await t.sandbox(), config);
    const session = await attach(t, protocol, containerId, true);
    try {
      await mustResize(t, session);
    } finally {
      session.close();
    }
  },
});

export const streamChecks: Checks = { ...dataChecks(spdy), ...dataChecks(webSocket) };
