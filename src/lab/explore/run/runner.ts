import { stackOf } from '../../../base/input/error-text.js';
import { once } from '../../../base/input/once.js';
import type { Entry } from '../../../tape/entries.js';
import { runRuleNames } from '../../../tape/judge/kubelet/table.js';
import { brokenRules } from '../../scenario/expect/checked-run.js';
import { unmet } from '../../scenario/expect/expectations.js';
import type { KeptTape } from '../../scenario/expect/kept-tape.js';
import type { Oracle } from '../../scenario/expect/oracle.js';
import type { Expected } from '../../scenario/file/expect-schema.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../scenario/run/run.js';
import { endOf, type Schedule } from '../catalog/perturbation.js';
import { readPoints, type TapePoints } from '../points/points.js';
import type { Steady } from '../steady/converged.js';
import { type Baseline, baselineOf, differencesFrom, isBaselineRule } from './baseline.js';
import { disagreements } from './disagreements.js';
import type { ScheduleFinding } from './finding.js';
import { type Observed, observe } from './observe.js';
import { keyOf, type Remember, remember } from './remember.js';
import { lengthOf, perturbed } from './schedule.js';
import { firstWork, shifted } from './shift.js';

export interface ScheduleResult {
  readonly findings: readonly ScheduleFinding[];
  /** Where it can be perturbed further, after the start of its last perturbation. */
  readonly points: TapePoints;
  /** End of the observation in ms: later, nothing can differ from the run without perturbations. */
  readonly until: number;
}

export interface Runner {
  /** Findings that occur without perturbations too are not reported. */
  run(schedule: Schedule): Promise<ScheduleResult>;
  /** Whether a schedule breaks this rule for this pod; cheaper than `run`. */
  breaks(schedule: Schedule, rule: string, pod: string): Promise<ScheduleFinding | undefined>;
  tapeOf(schedule: Schedule): Promise<readonly Entry[]>;
  /** Judges a run of another kubelet that took `until` ms. */
  judge(
    run: Simulation,
    tape: KeptTape | undefined,
    schedule: Schedule,
    until: number,
  ): Promise<ScheduleFinding[]>;
  with(scenario: LoadedScenario): Runner;
}

/** Shared by the runners of a scenario and its simpler versions: shrinking leads to the same scenarios repeatedly. */
interface Memory {
  readonly baselines: Remember<Baseline & { readonly steady: Steady | undefined }>;
  readonly findings: Remember<readonly ScheduleFinding[]>;
}

const createMemory = (): Memory => ({ baselines: remember(200), findings: remember(2000) });

/** Extra time in ms for the run that finds the final state: a back-off of five minutes. */
const LONGER = 310_000;

const rulesFrom = (from: number): Expected['rules'] => runRuleNames.map((name) => ({ name, from }));

export interface RunnerOptions {
  readonly oracle?: Oracle | undefined;
  /** A kubelet program that was built for virtual time. Default: the thin kubelet. */
  readonly program?: string | undefined;
  /** Also runs each schedule on the thin kubelet and reports differences as findings. */
  readonly compares?: boolean | undefined;
}

/** The baseline runs when it is first needed. */
export const createRunner = (base: LoadedScenario, options: RunnerOptions = {}): Runner =>
  createRemembering(base, createMemory(), options);

function createRemembering(base: LoadedScenario, memory: Memory, options: RunnerOptions): Runner {
  const { oracle, program, compares = false } = options;
  const baseline = () =>
    memory.baselines(keyOf(base), async () => {
      const longer = { ...perturbed(base, []), until: base.until + LONGER };
      const { run, failure, steady } = await observe(longer, undefined, program);
      if (run === undefined) throw failure;
      return { ...baselineOf(run, base.until / 1000), steady };
    });
  /** Without settings, the periods of the kubelet's loops are known. */
  const hasDefaults = Object.keys(base.kubelet.config).length === 0;
  const observePerturbed = async (schedule: Schedule): Promise<Observed> => {
    const { steady } = await baseline();
    if (steady === undefined || looksAtEnd(base.expect))
      return observe(perturbed(base, schedule), undefined, program);
    const end = { steady, over: endOf(schedule) };
    // The next action of a program cannot be looked up.
    if (program === undefined) {
      const tried = await observe(perturbed(base, schedule), { ...end, by: 'check' });
      if (tried.isSpoilt !== true) return tried;
    }
    return observe(perturbed(base, schedule), hasDefaults ? { ...end, by: 'waiting' } : undefined, program);
  };
  const plain = once(() => observe(perturbed(base, []), undefined, program));
  const own = once(async () => {
    const observed = await plain();
    const findings = await broken(observed, [], base.until);
    return { findings, points: readPoints(observed.tape?.entries ?? [], base.until), until: base.until };
  });
  const broken = async (
    observed: Observed,
    schedule: Schedule,
    until: number,
  ): Promise<ScheduleFinding[]> => {
    const found = [
      ...(await brokenIn(base, observed, schedule, until)),
      ...(await contradicted(oracle, observed, schedule, until)),
      ...(compares ? await disagreed(observed, schedule, until) : []),
    ];
    const short = observed.monitor?.isRunaway() === true && Math.ceil(until / 1000) * 1000;
    return short ? found.map((finding) => ({ ...finding, until: short })) : found;
  };
  /** Startup time of a program in ms, by which the thin kubelet starts later. */
  const lead = once(async () => {
    const [real, thin] = [await plain(), await observe(perturbed(base, []))].map(({ tape }) =>
      firstWork(tape?.entries ?? []),
    );
    return real === undefined || thin === undefined ? 0 : thin - real;
  });
  const disagreed = async (
    { run }: Observed,
    schedule: Schedule,
    until: number,
  ): Promise<ScheduleFinding[]> => {
    const thin = await observe(perturbed(base, shifted(schedule, await lead())));
    return run === undefined || thin.run === undefined ? [] : disagreements(run, thin.run, schedule, until);
  };
  const missed = async (
    { run, monitor }: Observed,
    schedule: Schedule,
    until: number,
  ): Promise<ScheduleFinding[]> => {
    if (run === undefined || schedule.length === 0 || monitor?.isRunaway() === true) return [];
    return differencesFrom(await baseline(), run, schedule, until / 1000).map(
      ({ name, pod, message, expect }): ScheduleFinding => ({ rule: name, pod, message, expect, schedule }),
    );
  };
  const allIn = async (observed: Observed, schedule: Schedule, until: number): Promise<ScheduleFinding[]> => [
    ...(await broken(observed, schedule, until)),
    ...(await missed(observed, schedule, until)),
  ];
  return {
    run: async (schedule) => {
      const without = await own();
      if (schedule.length === 0) return without;
      const known = new Set(without.findings.map(identityOf));
      const observed = await observePerturbed(schedule);
      const until = observed.ended ?? lengthOf(base, schedule);
      const findings = await allIn(observed, schedule, until);
      const from = Math.max(...schedule.map(({ at }) => at));
      return {
        findings: findings.filter((finding) => !known.has(identityOf(finding))),
        points: readPoints(observed.tape?.entries ?? [], until, from),
        until,
      };
    },
    breaks: async (schedule, rule, pod) => {
      const judge = program === undefined ? allIn : isBaselineRule(rule) ? missed : broken;
      const findings = await memory.findings(keyOf(base, schedule, judge === missed), async () => {
        const observed = await observePerturbed(schedule);
        return judge(observed, schedule, observed.ended ?? lengthOf(base, schedule));
      });
      return findings.find((finding) => finding.rule === rule && finding.pod === pod);
    },
    tapeOf: async (schedule) =>
      (await observe(perturbed(base, schedule), undefined, program)).tape?.entries ?? [],
    judge: (run, tape, schedule, until) => allIn({ run, tape }, schedule, until),
    with: (scenario) => createRemembering(scenario, memory, options),
  };
}

const identityOf = ({ rule, pod }: ScheduleFinding): string => `${rule} ${pod}`;

/** A continuing activity can meet an expectation at any time until the end. */
const looksAtEnd = ({ calls, metrics, log }: Expected): boolean =>
  calls.length + metrics.length + log.length > 0;

async function brokenIn(
  base: LoadedScenario,
  observed: Observed,
  schedule: Schedule,
  until: number,
): Promise<ScheduleFinding[]> {
  if (observed.run === undefined) {
    const { failure } = observed;
    return [{ rule: 'no-exception', pod: '', message: stackOf(failure), expect: {}, schedule }];
  }
  const { run, tape } = observed;
  const from = endOf(schedule);
  const broken = await brokenRules({ ...base, until }, run, rulesFrom(from), tape);
  return [
    ...broken.map(({ name, rule, pod, message }): ScheduleFinding => {
      return { rule: rule ?? name, pod, message, expect: { rules: [{ name, from }] }, schedule };
    }),
    ...unmet(base.expect, run).map((message): ScheduleFinding => {
      return { rule: 'expectation', pod: '', message, expect: base.expect, schedule };
    }),
  ];
}

async function contradicted(
  oracle: Oracle | undefined,
  { tape }: Observed,
  schedule: Schedule,
  until: number,
): Promise<ScheduleFinding[]> {
  if (oracle === undefined || tape === undefined) return [];
  const wrong = await oracle({ entries: tape.entries, until });
  return wrong.length === 0
    ? []
    : [{ rule: 'oracle', pod: '', message: wrong.join('\n'), expect: {}, schedule }];
}
