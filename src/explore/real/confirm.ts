import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import type { Clock } from '../../clock/clock.js';
import { readRules } from '../../faults/language/written-rule.js';
import type { LoadedScenario } from '../../scenario/loaded-scenario.js';
import { type KeptTape, keepTape } from '../../scenario/rules/facts.js';
import type { Simulation } from '../../scenario/run.js';
import { type RunReader, readRun } from '../../scenario/run-reader.js';
import { simulate } from '../../scenario/simulation.js';
import { perform, type TimelineContext } from '../../scenario/steps.js';
import { statusOf } from '../../server/status.js';
import type { Explored } from '../explore.js';
import type { Perturbation } from '../perturbation.js';
import { createRunner } from '../runner.js';
import { lengthOf, perturbed, ruleNames } from '../schedule.js';
import { removeFiles } from './kubelet-process.js';
import { fromNow, type Place, placeOf } from './place.js';
import { createPlacer } from './placer.js';
import { createRealNode } from './real-node.js';

/** What the real kubelet does where the thin one breaks a rule. */
export interface Verdict {
  readonly verdict: 'confirmed' | 'not seen' | 'could not be placed';
  /** What happened, or why it could not. */
  readonly text: string;
}

/** A real kubelet to compare with. */
export interface ConfirmOptions {
  readonly program: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Never acts. Replies are kept for stale ones while a rule about replies is in force, and others come later. */
const KEEPS_REPLIES = {
  name: 'keeps-replies',
  match: { method: 'Version' },
  when: { after: 1_000_000 },
  then: { reply: { stale: true } },
} as const;

/** How much longer than the thin kubelet the real one may take to come to the same place, in ms. */
const SLOWER = 20_000;
/** How often a run is looked at, in ms. */
const LOOK = 1000;
/** Rules whose breach needs no time to be certain. */
const AT_ONCE =
  /^(one-instance|attempts-grow|done-stays-done|backs-off|restarts-grow|counts-restarts|REF-\d+)$/;

/** Kubelets that run at a time: each wants a third of a core while it starts. */
const SIDE_BY_SIDE = 4;

/** Confirms findings, several at a time; the verdicts come in their order. */
export async function confirmAll(
  explored: readonly Explored[],
  options: ConfirmOptions,
  onEach: (done: number) => void,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < explored.length && !options.signal?.aborted) {
      const index = next++;
      verdicts[index] = await confirm(explored[index] as Explored, options);
      onEach(++done);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return verdicts;
}

/** Runs the schedule of a finding in real time against a real kubelet. Its scenario must have static pods only. */
export async function confirm(explored: Explored, options: ConfirmOptions): Promise<Verdict> {
  const { finding, scenario } = explored;
  const { rule, pod, schedule } = finding;
  if (rule === 'node-ready')
    return unplaced('a kubelet without an API server does not say whether its node is ready');
  const runner = createRunner(scenario);
  const places: (Place | undefined)[] = [];
  for (const [index, each] of schedule.entries())
    places.push(placeOf(await runner.tapeOf(schedule.slice(0, index)), each));

  const { run, tape, placedAt, elapsed } = await runReal(scenario, schedule, places, options, async (now) => {
    if (!AT_ONCE.test(rule)) return false;
    const findings = await runner.judge(now.run, now.tape, schedule, now.elapsed);
    return findings.some((each) => each.rule === rule && each.pod === pod);
  });
  const placed = schedule.map((each, index) => {
    const at = placedAt(index);
    return at === undefined ? undefined : { ...each, at, until: at + each.until - each.at };
  });
  const missing = schedule[placed.indexOf(undefined)];
  if (missing !== undefined) return unplaced(`the kubelet did not come to this point: ${missing.text}`);
  const happened = placed.filter((each) => each !== undefined);
  const findings = await runner.judge(run, tape, happened, elapsed);
  const seen = findings.find((each) => each.rule === rule && each.pod === pod);
  if (seen !== undefined) return { verdict: 'confirmed', text: seen.message };
  return {
    verdict: 'not seen',
    text: `the kubelet did not break the rule within ${Math.round(elapsed / 1000)}s`,
  };
}

const unplaced = (text: string): Verdict => ({ verdict: 'could not be placed', text });

interface RealRun {
  readonly run: Simulation;
  readonly tape: KeptTape | undefined;
  readonly elapsed: number;
  /** When a perturbation acted, in ms since the kubelet's start. */
  placedAt(index: number): number | undefined;
}

async function runReal(
  base: LoadedScenario,
  schedule: readonly Perturbation[],
  places: readonly (Place | undefined)[],
  { program, clock, signal }: ConfirmOptions,
  isDecided: (now: Pick<RealRun, 'run' | 'tape' | 'elapsed'>) => Promise<boolean>,
): Promise<RealRun> {
  const directory = mkdtempSync(join(tmpdir(), 'mockri-kubelet-'));
  const [port = 0, readOnlyPort = 0] = await freePorts(2);
  const over = new AbortController();
  const atStart = schedule.filter((_, index) => places[index] === undefined);
  const started = perturbed(base, atStart);
  const scenario = {
    ...started,
    faults: [...started.faults, ...readRules([KEEPS_REPLIES], 'schedule')],
    until: lengthOf(base, schedule) + SLOWER,
  };
  const placed = new Map<number, number>();
  let tape: KeptTape | undefined;
  let context: TimelineContext | undefined;
  let soFar: RunReader | undefined;
  let begun = clock.elapsed();
  const elapsed = () => clock.elapsed() - begun;

  const act = (index: number) => () => {
    const { rules, steps, at } = schedule[index] as Perturbation;
    if (context === undefined) return;
    placed.set(index, elapsed());
    const named = rules.map((rule, number) => ({
      name: nameOf(index, number),
      ...fromNow(rule, places[index]?.request),
    }));
    context.registry.add(readRules(named, 'schedule'), 'schedule');
    for (const step of steps)
      clock.setTimer(step.at - at, () => context && perform({ kubelet: step.kubelet }, context));
  };
  const placer = createPlacer(
    places.flatMap((place, index) => (place === undefined ? [] : [{ place, act: act(index) }])),
    clock,
  );
  const startNames = ruleNames(base, atStart);
  const actedAt = (run: Simulation, index: number): number | undefined => {
    const { rules } = schedule[index] as Perturbation;
    const begunAt = placed.get(index);
    if (rules.length === 0) return begunAt;
    const names =
      places[index] === undefined
        ? startNames[atStart.indexOf(schedule[index] as Perturbation)]
        : rules.map((_, number) => nameOf(index, number));
    const acted = run.faults.find(({ rule }) => names?.includes(rule));
    return acted && (begunAt ?? acted.t * 1000);
  };
  const watch = async () => {
    const run = soFar && { ...soFar.result, metrics: [], left: [] };
    if (signal?.aborted || (run !== undefined && (await isDecided({ run, tape, elapsed: elapsed() }))))
      over.abort();
    else looks = clock.setTimer(LOOK, watch);
  };
  let looks = clock.setTimer(LOOK, watch);
  try {
    const run = await simulate({
      scenario,
      time: 'real',
      over: 'socket',
      backend: (its) => createMemoryBackend({ clock: its }),
      codeOf: (error) => statusOf(error, String).code,
      createNode: (node) => createRealNode({ program, directory, port, readOnlyPort }, node),
      onTape: (made) => {
        tape = keepTape(made);
        soFar = readRun(made, {});
        made.listen({ entry: placer.read });
      },
      onBuilt: (made) => {
        context = made;
        begun = clock.elapsed();
        soFar?.begin();
        placer.begin();
      },
      onOver: () => tape?.stop(),
      signal: over.signal,
    });
    return { run, tape, elapsed: elapsed(), placedAt: (index) => actedAt(run, index) };
  } finally {
    looks.cancel();
    removeFiles(directory);
  }
}

const nameOf = (index: number, number: number): string => `placed-${index + 1}-${number + 1}`;

/** Ports that nothing listens on. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(
        (server) =>
          new Promise<number>((resolve, reject) => {
            server.once('error', reject);
            server.listen(0, '127.0.0.1', () => {
              const address = server.address();
              resolve(typeof address === 'object' && address !== null ? address.port : 0);
            });
          }),
      ),
    );
  } finally {
    for (const server of servers) server.close();
  }
}
