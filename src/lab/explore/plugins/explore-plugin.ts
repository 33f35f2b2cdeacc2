import { UserError } from '../../../base/input/user-error.js';
import { createRandom, pick, type Random } from '../../../base/random/random.js';
import { lifeOf, type Operation } from './life.js';
import { areApart, type PluginPerturbation, perturbationsOf } from './perturbation.js';
import { type BrokenPluginRule, brokenBy, type PluginBaseline } from './rules.js';
import { type PluginSubject, runPlugin } from './run.js';

export interface PluginExploreOptions extends PluginSubject {
  readonly command: string;
  /** Number of schedules, or real time in ms. */
  readonly budget: { readonly schedules?: number | undefined; readonly time?: number | undefined };
  readonly depth: number;
  readonly seed: string;
  /** Kinds of perturbations and names of operations; empty for all. */
  readonly only: readonly string[];
  readonly onProgress?: ((schedules: number, findings: number) => void) | undefined;
}

export interface PluginFinding extends BrokenPluginRule {
  readonly schedule: readonly PluginPerturbation[];
  /** In how many of `tries` runs the rule was broken. */
  readonly seen: number;
  readonly tries: number;
}

export interface PluginExploration {
  readonly schedules: number;
  readonly findings: readonly PluginFinding[];
  /** Nothing is left to try within the depth. */
  readonly isComplete: boolean;
}

/** Runs per failing schedule: we don't control the threads of the plugin's program. */
const TRIES = 2;

/** Single perturbations first, then several, until the budget is exhausted. Rejects if the plugin does not connect. */
export async function explorePlugin(options: PluginExploreOptions): Promise<PluginExploration> {
  const { pods, clock, budget, signal, onProgress } = options;
  const life = lifeOf(pods);
  const begun = clock.elapsed();
  const baseline = await pluginBaseline(options);
  const found = new Map<string, PluginFinding>();
  let schedules = 0;
  const isOver = () =>
    signal?.aborted === true ||
    schedules >= (budget.schedules ?? Number.POSITIVE_INFINITY) ||
    clock.elapsed() - begun >= (budget.time ?? Number.POSITIVE_INFINITY);
  let isComplete = true;
  for (const schedule of schedulesOf(chosen(life, options.only), options)) {
    isComplete = !isOver();
    if (!isComplete) break;
    schedules++;
    for (const broken of brokenBy(await runPlugin(options, schedule), baseline)) {
      const key = keyOf(broken, schedule);
      if (found.has(key) || isExplained(broken, schedule, found)) continue;
      const again = brokenBy(await runPlugin(options, schedule), baseline);
      const seen = again.some(({ rule, about }) => rule === broken.rule && about === broken.about)
        ? TRIES
        : 1;
      found.set(key, { ...broken, schedule, seen, tries: TRIES });
    }
    onProgress?.(schedules, found.size);
  }
  return { schedules, findings: [...found.values()], isComplete };
}

/** Runs the baseline. Rejects if the plugin does not connect. */
export async function pluginBaseline(subject: PluginSubject): Promise<PluginBaseline> {
  const withPlugin = await runPlugin(subject, []);
  if (withPlugin.missing !== undefined)
    throw new UserError(
      `--plugin ${subject.command}: ${withPlugin.missing}. Does it connect to the socket in $NRI_SOCKET? Its output:\n${withPlugin.output || 'nothing'}`,
    );
  return { withPlugin, withoutPlugin: await runPlugin({ ...subject, command: undefined }, []) };
}

export function chosen(life: readonly Operation[], only: readonly string[]): PluginPerturbation[] {
  const all = perturbationsOf(life);
  const passes =
    (word: string) =>
    ({ kind, at }: PluginPerturbation) =>
      kind === word || life[at]?.name.includes(word) === true;
  const useless = only.find((word) => !all.some(passes(word)));
  if (useless !== undefined)
    throw new UserError(
      `--only ${useless}: neither a perturbation of plugins nor a part of an operation's name`,
    );
  return only.length === 0 ? all : all.filter((each) => only.some((word) => passes(word)(each)));
}

export function* schedulesOf(
  singles: readonly PluginPerturbation[],
  { depth, seed }: Pick<PluginExploreOptions, 'depth' | 'seed'>,
): Generator<readonly PluginPerturbation[]> {
  for (const single of singles) yield [single];
  if (depth < 2 || singles.length < 2) return;
  const random = createRandom(seed);
  const tried = new Set<string>();
  for (let misses = 0; misses < MOST_MISSES; misses++) {
    const schedule = combined(singles, depth, random);
    const key = JSON.stringify(schedule);
    if (schedule.length < 2 || tried.has(key)) continue;
    tried.add(key);
    misses = 0;
    yield schedule;
  }
}

/** After this many draws without a new schedule, the search assumes that there are none left. */
const MOST_MISSES = 1000;

function combined(
  singles: readonly PluginPerturbation[],
  depth: number,
  random: Random,
): readonly PluginPerturbation[] {
  const count = 2 + Math.floor(random.next() * (depth - 1));
  let schedule: readonly PluginPerturbation[] = [];
  for (let turn = 0; turn < count; turn++) {
    const next = pick(random, singles);
    if (next !== undefined && schedule.every((each) => areApart(each, next))) schedule = [...schedule, next];
  }
  return [...schedule].sort((a, b) => a.at - b.at);
}

const keyOf = ({ rule }: BrokenPluginRule, schedule: readonly PluginPerturbation[]): string =>
  [rule, ...schedule.map(({ kind }) => kind)].join(' | ');

const isExplained = (
  { rule }: BrokenPluginRule,
  schedule: readonly PluginPerturbation[],
  found: ReadonlyMap<string, PluginFinding>,
): boolean =>
  schedule.length > 1 &&
  [...found.values()].some(
    (each) =>
      each.rule === rule &&
      each.schedule.length === 1 &&
      schedule.some(({ kind }) => kind === each.schedule[0]?.kind),
  );
