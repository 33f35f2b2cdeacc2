import { messageOf } from '../../../base/input/error-text.js';
import { UserError } from '../../../base/input/user-error.js';
import type { ClusterPrograms } from '../control/programs.js';
import type { LoadedCluster } from '../file/load.js';
import type { FaultText } from '../file/schema.js';
import type { OpenCluster } from '../open-cluster.js';
import { isPassing, isWrite } from '../proxy/api-request.js';
import { runCluster } from '../run-cluster.js';
import { differences, type Outcome, problemsOf, snapshot } from './outcome.js';
import { type Seen, type Try, triesOf } from './points.js';

export interface Found {
  readonly fault: FaultText;
  readonly problems: readonly string[];
}

export interface Explored {
  /** Runs with a fault that ended, and all that there are. */
  readonly tried: number;
  readonly tries: number;
  /** With equal problems, only the first. */
  readonly found: readonly Found[];
}

export interface ExploreOptions {
  readonly signal: AbortSignal;
  /** Asked before each run. */
  readonly isOver: () => boolean;
  readonly found: (found: Found) => void;
  readonly progress: (tried: number, tries: number, fault: string) => void;
}

/** Runs a scenario without more faults, then with one fault at each write and watch event of its programs. */
export async function exploreCluster(
  loaded: LoadedCluster,
  programs: ClusterPrograms,
  options: ExploreOptions,
): Promise<Explored> {
  const { signal, isOver, progress } = options;
  const { scenario } = loaded;
  const names = scenario.cluster.programs.map(({ name }) => name);
  const explored = names.length > 0 ? names : ['kube-controller-manager'];
  const usual = await runOnce(loaded, programs, signal);
  if (usual.findings.length > 0)
    throw new UserError(
      `the scenario fails before explore adds a fault; it must meet its expectations:\n${usual.findings.join('\n')}`,
    );
  const seen = usual.seen.filter(({ program }) => explored.includes(program));
  const tries = triesOf(seen, scenario.until);
  const found = new Map<string, Found>();
  let tried = 0;
  for (const each of tries) {
    if (signal.aborted || isOver()) break;
    progress(tried, tries.length, each.fault.name);
    const problems = await problemsWith(each, loaded, programs, usual, signal);
    if (signal.aborted) break;
    tried++;
    const key = problems.join('\n');
    if (problems.length === 0 || found.has(key)) continue;
    const made = { fault: each.text, problems };
    found.set(key, made);
    options.found(made);
  }
  return { tried, tries: tries.length, found: [...found.values()] };
}

async function problemsWith(
  each: Try,
  loaded: LoadedCluster,
  programs: ClusterPrograms,
  usual: Run,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { scenario } = loaded;
  const faulty = { ...loaded, scenario: { ...scenario, faults: [...scenario.faults, each.fault] } };
  const expected = { lasts: each.lasts, objects: usual.outcome.objects };
  try {
    const run = await runOnce(faulty, programs, signal, expected);
    return [...run.findings, ...problemsOf(run.outcome, usual.outcome)];
  } catch (error) {
    // For example, a program neither waits nor ends. The search continues.
    return [messageOf(error)];
  }
}

interface Run {
  readonly findings: readonly string[];
  readonly seen: readonly Seen[];
  readonly outcome: Outcome;
}

/** Virtual ms that a cluster has to become as it is without the fault, and between two looks. */
const PATIENCE = 300_000;
const LOOK = 20_000;
const MINUTE = 60_000;

async function runOnce(
  loaded: LoadedCluster,
  programs: ClusterPrograms,
  signal: AbortSignal,
  expected?: { readonly lasts: number; readonly objects: Outcome['objects'] },
): Promise<Run> {
  const seen: Seen[] = [];
  const writes: number[] = [];
  const changes = new Map<string, number>();
  let end = 0;
  let objects: Outcome['objects'] = new Map();
  const atEnd = async ({ api, clock, elapsed }: OpenCluster): Promise<void> => {
    const { lasts = 0, objects: wanted } = expected ?? {};
    await clock.runUntil(() => signal.aborted, lasts);
    for (const limit = elapsed() + PATIENCE; !signal.aborted; await clock.advance(LOOK)) {
      objects = await snapshot(api);
      end = elapsed();
      if (wanted === undefined || end >= limit || differences(objects, wanted).length === 0) return;
    }
  };
  const { findings } = await runCluster(loaded, programs, {
    ...{ signal, atEnd, entry: () => {} },
    seen: (program, { verb, resource }, time) => seen.push({ program, verb, resource, time }),
    answered: (program, { verb, resource }, status, time) => {
      if (!isWrite(verb) || isPassing(resource)) return;
      writes.push(time);
      if ((status ?? 300) >= 300 || !['create', 'delete'].includes(verb)) return;
      const key = `${program}: ${verb} ${resource}`;
      changes.set(key, (changes.get(key) ?? 0) + 1);
    },
  });
  const lateWrites = writes.filter((time) => time > end - MINUTE).length;
  return { findings, seen, outcome: { objects, changes, lateWrites } };
}
