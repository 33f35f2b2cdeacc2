import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { CallError } from '../../../src/cri/client/call-error.js';
import { startVictim, type Victim } from '../kit.js';
import { clientSurfaces } from './clients.js';
import { controlSurface } from './control.js';
import { filesSurface } from './files.js';
import { grpcSurface } from './grpc.js';
import { http2Surface } from './http2.js';
import { livesSurface } from './lives.js';
import { PLUGIN_SOCKET, pluginsSurface } from './plugins.js';
import { scriptSurfaces } from './scripts.js';
import { shellSurface } from './shell.js';
import { streamingSurface } from './streaming.js';
import { Dice, type Surface, unlessHung } from './surface.js';
import { yamlSurface } from './yaml.js';

export const surfaces: readonly Surface[] = [
  grpcSurface,
  http2Surface,
  controlSurface,
  streamingSurface,
  pluginsSurface,
  shellSurface,
  filesSurface,
  yamlSurface,
  ...scriptSurfaces,
  ...clientSurfaces,
  livesSurface,
];

/** How long a batch may take, in ms, before the server counts as hung. */
const HUNG = 60_000;
/** Time in ms for the server to release everything from an attack. */
const SETTLE = 30_000;
/** Fewer descriptors than this may be open when the attacks are over: connections that are about to close. */
export const MAY_KEEP = 20;

/** Before it begins again after a refusal, in ms. */
const PAUSE = 200;

const clock = createRealClock();

/** How and how long a server is attacked. */
export interface Effort {
  readonly seed: string;
  readonly seconds: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** The attacks begin once it resolves. */
  onStart?(victim: Victim): Promise<void>;
  /** Called each minute. */
  onMinute?(victim: Victim, result: Result): void;
}

/** The effects of attacks. */
export interface Result {
  inputs: number;
  /** Batches that ended with an allowed error: a limit that holds, or a fault that another attack injects. */
  refused: number;
  /** The first ten violations. */
  readonly wrong: string[];
  /** Highest resident memory of the server, in MB. */
  peak: number;
  /** Descriptors that are still open after the attacks. */
  descriptors: number;
}

/** Attacks several surfaces of one server at the same time, each in its own pod. Finally kills it with SIGKILL. */
export async function attack(chosen: readonly Surface[], effort: Effort): Promise<Result> {
  const result: Result = { inputs: 0, refused: 0, wrong: [], peak: 0, descriptors: 0 };
  const directory = mkdtempSync(join(tmpdir(), 'mockri-attack-'));
  const nri = ['--nri-socket', join(directory, PLUGIN_SOCKET)];
  const over = new AbortController();
  const stop = () => over.abort();
  try {
    const victim = await startVictim(directory, ['--control', '127.0.0.1:0', ...nri]);
    effort.signal?.addEventListener('abort', stop);
    // By then all its output has arrived.
    victim.child.once('close', (code, signal) => {
      if (!over.signal.aborted)
        result.wrong.unshift(`the server ended: ${signal ?? code}: ${victim.lastWords()}`);
      stop();
    });
    const before = victim.descriptors();
    await effort.onStart?.(victim);
    const attacks = chosen.map((surface) => attackOn(surface, victim, effort.seed, result, over.signal));
    await watch(victim, result, effort, over.signal);
    const isAlive = !over.signal.aborted;
    stop();
    await Promise.all(attacks);
    if (isAlive) {
      // The kernel may still hold connections after the server has closed others.
      for (let waited = 0; victim.descriptors() > before && waited < SETTLE; waited += PAUSE)
        await clock.sleep(PAUSE);
      await victim.version().catch(() => result.wrong.push(`no answer at the end: ${victim.lastWords()}`));
      result.peak = victim.peak() / 1e6;
      result.descriptors = victim.descriptors() - before;
    }
    result.wrong.push(...victim.warnings());
    victim.cri.close();
    victim.child.kill('SIGKILL');
  } finally {
    effort.signal?.removeEventListener('abort', stop);
    rmSync(directory, { recursive: true, force: true });
  }
  return result;
}

/** Checks the server until the end of the time. */
async function watch(victim: Victim, result: Result, effort: Effort, signal: AbortSignal): Promise<void> {
  for (let left = effort.seconds; left > 0 && !signal.aborted; left -= 60) {
    await clock.sleep(Math.min(left, 60) * 1000, signal).catch(() => {});
    if (signal.aborted) return;
    result.peak = victim.peak() / 1e6;
    effort.onMinute?.(victim, result);
  }
}

/** Attacks one surface until the signal aborts. Restarts in a new pod after a refusal. */
async function attackOn(
  surface: Surface,
  victim: Victim,
  seed: string,
  result: Result,
  signal: AbortSignal,
): Promise<void> {
  for (let life = 0; !signal.aborted; life++) {
    try {
      const pod = await victim.newPod(`${surface.name.replace(/\W/g, '-')}-${life}`);
      const dice = new Dice(`${seed} ${surface.name} ${life}`);
      await attackFrom({ ...victim, ...pod }, surface, dice, result, signal);
      await victim.cri.removePodSandbox({ podSandboxId: pod.podSandboxId });
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) {
        result.refused++;
        await clock.sleep(PAUSE, signal).catch(() => {});
      } else if (result.wrong.length < 10) result.wrong.push(`${surface.name}: ${(error as Error).message}`);
    }
  }
}

async function attackFrom(
  victim: Victim,
  surface: Surface,
  dice: Dice,
  result: Result,
  signal: AbortSignal,
): Promise<void> {
  const attack = await surface.open(victim, dice);
  try {
    while (!signal.aborted) {
      const inputs = await unlessHung(HUNG, attack.batch(), [process.pid, victim.child.pid ?? 0]);
      if (inputs === undefined) throw new Error(`a batch took more than ${HUNG / 1000} s`);
      result.inputs += inputs;
    }
  } finally {
    await attack.close();
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof CallError && !error.details.startsWith('internal error');
