import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../src/clock/real-clock.js';
import { startVictim, type Victim } from '../kit.js';
import { controlSurface } from './control.js';
import { filesSurface } from './files.js';
import { grpcSurface } from './grpc.js';
import { http2Surface } from './http2.js';
import { PLUGIN_SOCKET, pluginsSurface } from './plugins.js';
import { shellSurface } from './shell.js';
import { streamingSurface } from './streaming.js';
import { type Attack, Dice, type Surface, within } from './surface.js';
import { yamlSurface } from './yaml.js';

/** All surfaces, in the order in which they are attacked. */
export const surfaces: readonly Surface[] = [
  grpcSurface,
  http2Surface,
  controlSurface,
  streamingSurface,
  pluginsSurface,
  shellSurface,
  filesSurface,
  yamlSurface,
];

/** How long a batch or a bystander's calls may take, in ms, before the server counts as hung. */
const HUNG = 60_000;
/** How long the server has for letting go of what an attack has left, in ms. */
const SETTLE = 1000;
const MIB = 1024 * 1024;

const clock = createRealClock();

/** What attacks on one surface did. */
export interface Result {
  readonly surface: string;
  inputs: number;
  seconds: number;
  crashes: number;
  hangs: number;
  /** Answers that must not be, the first ten. */
  readonly wrong: string[];
  /** The slowest median of ten Version calls after a batch, in ms. */
  version: number;
  /** Growth of resident memory after the first tenth, in MiB. */
  growth: number;
  /** Growth of descriptors. */
  descriptors: number;
}

/** How long a surface is attacked. */
export interface Effort {
  readonly seed: string;
  readonly seconds: number;
  /** Inputs; default: as many as the time allows. */
  readonly most?: number | undefined;
}

/**
 * Attacks a server on one surface. Kills it with SIGKILL at last; after a crash or a hang another one takes over its
 * socket.
 */
export async function attack(surface: Surface, { seed, seconds, most }: Effort): Promise<Result> {
  const result: Result = {
    surface: surface.name,
    inputs: 0,
    seconds: 0,
    crashes: 0,
    hangs: 0,
    wrong: [],
    version: 0,
    growth: 0,
    descriptors: 0,
  };
  const directory = mkdtempSync(join(tmpdir(), 'mockri-attack-'));
  const enough = () => result.seconds >= seconds || result.inputs >= (most ?? Number.POSITIVE_INFINITY);
  try {
    for (let life = 0; !enough(); life++) {
      const nri = ['--nri-socket', join(directory, PLUGIN_SOCKET)];
      const victim = await startVictim(directory, ['--control', '127.0.0.1:0', ...nri]);
      const dice = new Dice(`${seed} ${surface.name} ${life}`);
      await attackOne(victim, await surface.open(victim, dice), result, seconds, enough);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  result.seconds = Math.round(result.seconds * 10) / 10;
  return result;
}

async function attackOne(
  victim: Victim,
  open: Attack,
  result: Result,
  seconds: number,
  enough: () => boolean,
): Promise<void> {
  const exited = once(victim.child, 'exit');
  let isOver = false;
  void exited.then(() => {
    if (!isOver) result.crashes++;
    isOver = true;
  });
  let warm: Look | undefined;
  try {
    do {
      const began = clock.elapsed();
      const inputs = await within(
        HUNG,
        open.batch().catch((error: Error) => note(result, error, isOver)),
      );
      const version = await within(
        HUNG,
        victim.version().catch(() => undefined),
      );
      // After a crash the connection breaks before the end of the process is reported.
      if (version === undefined) await within(SETTLE, exited);
      if (isOver) return;
      if (inputs === undefined || version === undefined) {
        result.hangs++;
        return;
      }
      result.seconds += (clock.elapsed() - began) / 1000;
      result.inputs += inputs;
      result.version = Math.max(result.version, Math.round(version * 10) / 10);
      if (result.seconds > seconds / 10) warm ??= await settled(victim);
    } while (!enough());
    await open.close();
    const end = await settled(victim);
    result.wrong.push(...victim.warnings());
    const start = warm ?? end;
    result.growth = Math.max(result.growth, Math.round((end.resident - start.resident) / MIB));
    result.descriptors = Math.max(result.descriptors, end.descriptors - start.descriptors);
  } finally {
    isOver = true;
    victim.cri.close();
    victim.child.kill('SIGKILL');
    await exited;
  }
}

interface Look {
  readonly resident: number;
  readonly descriptors: number;
}

function note(result: Result, error: Error, isOver: boolean): number {
  if (!isOver && result.wrong.length < 10) result.wrong.push(error.message);
  return 0;
}

async function settled(victim: Victim): Promise<Look> {
  await clock.sleep(SETTLE);
  return { resident: victim.resident(), descriptors: victim.descriptors() };
}
