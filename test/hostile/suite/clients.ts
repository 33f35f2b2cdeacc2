import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Client, credentials } from '@grpc/grpc-js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { allMethods } from '../../../src/cri/methods.js';
import type { Victim } from '../kit.js';
import type { Surface } from './surface.js';

const clock = createRealClock();

const COMMANDS = 40;
const READERS = 16;
/** Bytes of a request; up to 16 MiB are allowed. */
const WIDE = 14_000_000;

/** Output of many concurrent commands, for clients of which half leave before its end. */
const outputsSurface: Surface = {
  name: 'outputs',
  open: async (victim, dice) => {
    const containerId = await victim.container('sleep 100000');
    const cmd = ['sh', '-c', 'dd if=/dev/zero bs=64k count=200; sleep 10'];
    const exec = (cri: Victim['cri']) => cri.execSync({ containerId, cmd, timeout: 1n }).catch(() => {});
    return {
      batch: async () => {
        const leaving = connectCri(victim.socket);
        const calls = Array.from({ length: COMMANDS }, (_, n) => exec(n % 2 === 0 ? leaving : victim.cri));
        await clock.sleep(dice.below(500));
        leaving.close();
        await Promise.all(calls);
        return COMMANDS;
      },
      close: () => {},
    };
  },
};

/** Readers of the live tape, half of which read nothing, while pods with long annotations run. */
const tapeSurface: Surface = {
  name: 'live tape',
  open: async ({ cri, control }) => ({
    batch: async () => {
      const over = new AbortController();
      const read = async (index: number) => {
        const { body } = await fetch(`${control}/v1/tape/live`, { signal: over.signal });
        if (index % 2 === 0) await body?.pipeTo(new WritableStream());
      };
      const readers = Array.from({ length: READERS }, (_, index) => read(index).catch(() => {}));
      const annotations = { long: 'x'.repeat(40_000) };
      try {
        for (let n = 0; n < 20; n++) {
          const metadata = { name: `tape${n}`, uid: 'tape', namespace: 'default', attempt: 0 };
          const { podSandboxId } = await cri.runPodSandbox({ config: { metadata, annotations } });
          await cri.removePodSandbox({ podSandboxId });
        }
      } finally {
        over.abort();
        await Promise.all(readers);
      }
      return READERS + 20;
    },
    close: () => {},
  }),
};

/** Requests with millions of empty messages: the RPC, the number of its config, and that of a repeated field in it. */
const repeated = [
  ['CreateContainer', 2, 6],
  ['CreateContainer', 2, 7],
  ['CreateContainer', 2, 9],
  ['RunPodSandbox', 1, 5],
  ['RunPodSandbox', 1, 7],
] as const;
const WIRE_BYTES = 2;

/** Requests that would become a hundred times larger when decoded: each is refused. */
const wideSurface: Surface = {
  name: 'wide requests',
  open: async (victim, dice) => {
    const client = new Client(`unix:${victim.socket}`, credentials.createInsecure());
    const same = (bytes: Buffer): Buffer => bytes;
    return {
      batch: async () => {
        const [name, config, field] = dice.of(repeated);
        const empty = Buffer.alloc(WIDE, Buffer.of((field << 3) | WIRE_BYTES, 0));
        const body = new BinaryWriter().tag(config, WIRE_BYTES).bytes(empty).finish();
        const { path } = allMethods.find((method) => method.name === name) as { path: string };
        await new Promise<void>((resolve, reject) =>
          client.makeUnaryRequest(path, same, same, Buffer.from(body), (error) =>
            error === null ? reject(new Error(`${name} with ${WIDE} bytes was not refused`)) : resolve(),
          ),
        );
        return 1;
      },
      close: () => client.close(),
    };
  },
};

/** Clients that request more than they read, or more than the server can store. */
export const clientSurfaces: readonly Surface[] = [outputsSurface, tapeSurface, wideSurface];
