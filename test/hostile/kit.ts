import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { type CriConnection, connectCri } from '../../src/cri/client/connect.js';
import { commandLine } from '../support/program.js';
import { isThorough } from '../support/thorough.js';

/** Time in ms after which a bystander's call counts as hung: an attack hangs it forever, and a busy machine is slow. */
const HUNG = 60_000;
/** Time in ms for a server to end: its own 5 s, and more for a busy machine. */
const STOP = 60_000;
/** Allowed growth of the server's resident memory during an attack, in bytes. */
const MAX_GROWTH = 1024 * 1024 * 1024;

const clock = createRealClock();

/** A pod of the server under attack. */
export interface VictimPod {
  readonly pod: Record<string, unknown>;
  readonly podSandboxId: string;
  /** Creates and starts a container that runs a script; resolves with its id. */
  container(script: string, config?: Record<string, unknown>): Promise<string>;
}

/** A server under attack, in a separate process, and a harmless client. */
export interface Victim extends VictimPod {
  readonly cri: CriConnection;
  readonly socket: string;
  /** URL of the control API, with the flag `--control 127.0.0.1:0`. */
  readonly control: string | null;
  readonly child: ChildProcess;
  /** Runs another pod; its label `kept` keeps attacks from removing it. */
  newPod(name: string, config?: Record<string, unknown>): Promise<VictimPod>;
  /** Calls Version ten times; resolves with the median in ms. Rejects when the server hangs. */
  version(): Promise<number>;
  /** The server's resident memory in bytes. */
  resident(): number;
  /** The highest value of `resident` so far. */
  peak(): number;
  /** Node's warnings, such as too many listeners, or a descriptor that garbage collection closed. */
  warnings(): readonly string[];
  /** The end of the server's stderr. */
  lastWords(): string;
  descriptors(): number;
  /**
   * Ends the server with SIGTERM; resolves with its exit code, or null if it had to be killed after a minute. Rejects
   * if it logged more than notices.
   */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** For afterEach: no server outlives its test. */
export function killVictims(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/**
 * Starts a server with one pod. HOSTILE_SERVER runs another build: the path of its `main.js`. `descriptors` limits its
 * open descriptors.
 */
export async function startVictim(
  directory: string,
  flags: readonly string[] = [],
  descriptors?: number,
): Promise<Victim> {
  const socket = join(directory, 'cri.sock');
  const built = process.env.HOSTILE_SERVER;
  const program = built === undefined ? commandLine() : [built];
  const args = [...program, 'serve', '--listen', `unix://${socket}`, '--control', 'off', ...flags];
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const { control } = await new Promise<{ control: string | null }>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(JSON.parse(line)));
    child.once('close', (code) => reject(new Error(`exit ${code}: ${errors}`)));
  });
  const cri = connectCri(socket);
  await cri.pullImage({ image: { image: 'busybox:1' } });
  const newPod = (name: string, config: Record<string, unknown> = {}) =>
    runPod(cri, name, { logDirectory: directory, ...config });
  return {
    ...(await newPod('hostile')),
    cri,
    socket,
    control,
    child,
    newPod,
    version: async () => {
      const times: number[] = [];
      for (let call = 0; call < 10; call++) {
        const began = clock.elapsed();
        await cri.version({ version: '' }, { timeout: HUNG });
        times.push(clock.elapsed() - began);
      }
      return times.sort((one, other) => one - other)[5] as number;
    },
    resident: () => memoryOf(child, 'VmRSS'),
    peak: () => memoryOf(child, 'VmHWM'),
    warnings: () => errors.split('\n').filter((line) => /^\(node:\d+\)/.test(line)),
    lastWords: () => errors.slice(-2000),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    stop: async () => {
      cri.close();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const giveUp = new AbortController();
      void clock.sleep(STOP, giveUp.signal).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
      const [code] = await ended;
      giveUp.abort();
      const defects = errors.split('\n').filter((line) => line !== '' && !line.startsWith('{"level":30,'));
      if (defects.length > 0) throw new Error(`the server printed: ${defects.join('\n').slice(0, 2000)}`);
      return code;
    },
  };
}

async function runPod(cri: CriConnection, name: string, config: object): Promise<VictimPod> {
  const metadata = { name, uid: name, namespace: 'default', attempt: 0 };
  const pod = { metadata, labels: { kept: '' }, ...config };
  const { podSandboxId } = await cri.runPodSandbox({ config: pod });
  let made = 0;
  return {
    pod,
    podSandboxId,
    container: async (script, config = {}) => {
      const { containerId } = await cri.createContainer({
        podSandboxId,
        sandboxConfig: pod,
        config: {
          metadata: { name: `c${made++}`, attempt: 0 },
          image: { image: 'busybox:1' },
          command: ['sh', '-c', script],
          ...config,
        },
      });
      await cri.startContainer({ containerId });
      return containerId;
    },
  };
}

/** A figure of proc(5), /proc/PID/status, in bytes. */
const memoryOf = ({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/**
 * Watches the server's memory until the attack is over. Rejects as soon as it has grown by more than `most` bytes, so
 * that the attack doesn't take the machine's memory too.
 *
 * The amount of garbage at a time is chance. So `most` is well above the server's limits, and the attack well above
 * `most`.
 */
export async function growsAtMost(most: number, victim: Victim, attack: Promise<unknown>): Promise<void> {
  const before = victim.resident();
  let isOver = false;
  void attack
    .catch(() => {})
    .then(() => {
      isOver = true;
    });
  while (!isOver) {
    const growth = victim.resident() - before;
    if (growth > most) throw new Error(`the server grew by ${inMiB(growth)}, and may grow by ${inMiB(most)}`);
    await clock.sleep(50);
  }
  await attack;
}

const inMiB = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

/** The effects of an attack on the server. */
export interface Damage {
  /** The median of ten Version calls during the attack, in ms. */
  readonly version: number;
  /** Growth of resident memory, in MiB. */
  readonly growth: number;
  readonly exitCode: number | null;
}

/**
 * Starts a server, attacks it, and observes it from outside for `during` ms. Rejects if it hangs or takes too much
 * memory.
 */
export async function withstand(
  directory: string,
  attack: (victim: Victim) => Promise<void>,
  during = 2000,
): Promise<Damage> {
  const victim = await startVictim(directory);
  const before = victim.resident();
  await attack(victim);
  await clock.sleep(during);
  const version = await victim.version();
  const growth = victim.resident() - before;
  if (growth > MAX_GROWTH) throw new Error(`the server grew by ${Math.round(growth / 1024 ** 2)} MiB`);
  const damage = { version, growth: Math.round(growth / 1024 ** 2), exitCode: await victim.stop() };
  if (isThorough) process.stderr.write(`${JSON.stringify(damage)}\n`);
  return damage;
}
