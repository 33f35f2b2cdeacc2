import { InputError } from '../../../base/input/yaml.js';
import type { Pair } from '../../../lab/scenario/compare/matrix.js';
import { expectSchema } from '../../../lab/scenario/file/expect-schema.js';
import type { LoadedAction, LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import { runsOf, type ScenarioRun, versionOf } from '../../../lab/scenario/file/variants.js';
import { variedScenarios } from '../../../lab/scenario/vary/vary.js';
import type { ChosenKubelet } from './chosen-kubelets.js';
import type { Flags } from './flags.js';

export interface ChosenRun extends ScenarioRun {
  readonly column: string;
  readonly pair: Pair;
  /** Name of the run to compare with in a matrix: of the kubelet before with this runtime, or of the runtime before. */
  readonly base?: string | undefined;
  /** For an upgrade: the run in which the old kubelet restarts. */
  readonly restarted?: string;
  /** The run without an upgrade, which a matrix does not show. */
  readonly isControl?: boolean;
  readonly program?: string | undefined;
  /** Of the kubelet after an upgrade. */
  readonly nextProgram?: string | undefined;
}

type Kubelets = readonly ChosenKubelet[] | undefined;

/**
 * Runs of a scenario for each value of the varied fields, each requested kubelet and runtime, or the scenario's own. A
 * kubelet program supports only its own design of the evented PLEG.
 */
export async function chosenRuns(
  scenario: LoadedScenario,
  flags: Flags,
  kubelets: Kubelets,
): Promise<ChosenRun[]> {
  if (flags.upgrade !== undefined) return upgrades(scenario, flags, kubelets ?? []);
  if (flags.vary === undefined) return withBases(runsWithEach(scenario, flags, kubelets));
  const varied = await variedScenarios(scenario, flags.vary);
  const isOne = runsWithEach(scenario, flags, kubelets).length === 1;
  const runs = varied.flatMap(({ name, scenario: each }) =>
    runsWithEach(each, flags, kubelets).map((run) => ({
      ...run,
      name: `${run.name}, ${name}`,
      column: isOne ? name : `${run.column} ${name}`,
      pair: { ...run.pair, runtime: `${run.pair.runtime} ${name}` },
    })),
  );
  return withBases(runs);
}

function runsWithEach(scenario: LoadedScenario, { runtimeProfile }: Flags, kubelets: Kubelets): ChosenRun[] {
  const several = (kubelets ?? []).length > 1;
  const profiles = runtimeProfile ?? [undefined];
  return (kubelets ?? [undefined]).flatMap((kubelet) => {
    const all = runsOf(scenario, kubelet?.version);
    const runs = all.filter(
      (run) => kubelet?.program === undefined || run.scenario.kubelet.evented === undefined,
    );
    return runs.flatMap((run) =>
      profiles.map((profile): ChosenRun => {
        const { runtime } = profile === undefined ? run.scenario : { runtime: profile };
        const version = versionOf(run.scenario);
        const label = several ? (kubelet?.label ?? version) : version;
        const ofVersion =
          label === version ? run.name : run.name.replace(`kubelet ${version}`, `kubelet ${label}`);
        const column = [
          ...(several || profiles.length < 2 ? [label] : []),
          ...(profiles.length > 1 ? [runtime] : []),
        ].join(' ');
        const row = runs.length > 1 ? ofVersion.replace(/^kubelet /, '') : label;
        return {
          ...run,
          name: profiles.length > 1 ? `${ofVersion}, ${runtime}` : ofVersion,
          column,
          pair: { kubelet: row, runtime, versions: [version, version] },
          program: kubelet?.program,
          scenario: { ...run.scenario, runtime },
        };
      }),
    );
  });
}

/** Each run is compared with the kubelet before with the same runtime; the first kubelet's with the first runtime. */
const withBases = (runs: readonly ChosenRun[]): ChosenRun[] =>
  runs.map((run, index) => {
    const base =
      runs.slice(0, index).findLast(({ pair }) => pair.runtime === run.pair.runtime) ??
      (index > 0 ? runs[0] : undefined);
    if (base === undefined) return run;
    const versions = [versionOf(base.scenario), versionOf(run.scenario)] as const;
    return { ...run, base: base.name, pair: { ...run.pair, versions } };
  });

type Step = readonly [from: ChosenKubelet, to: ChosenKubelet];

/** Upgrades in the middle of the run with each runtime, after the runs that they are compared with. */
function upgrades(scenario: LoadedScenario, flags: Flags, kubelets: readonly ChosenKubelet[]): ChosenRun[] {
  const steps = stepsOf(kubelets, flags.upgrade);
  if (steps.length === 0)
    throw new InputError([
      '--upgrade: no version to upgrade to; give several, oldest first, with --kubelet-version or --kubelet, such as 1.30..1.37',
    ]);
  const profiles = flags.runtimeProfile ?? [scenario.runtime];
  const isTriangle = flags.upgrade === 'all' && profiles.length === 1;
  const runs = profiles.flatMap((runtime) =>
    steps.flatMap((step) => upgradeOf({ ...scenario, runtime }, step, isTriangle)),
  );
  return runs.filter(({ name }, index) => runs.findIndex((run) => run.name === name) === index);
}

function upgradeOf(scenario: LoadedScenario, [from, to]: Step, isTriangle: boolean): ChosenRun[] {
  const { runtime, kubelet, timeline, until } = scenario;
  const at = Math.floor(until / 2);
  const make = (what: string, then: readonly LoadedAction[]) => ({
    name: `kubelet ${what}, ${runtime}`,
    column: `${what} ${runtime}`,
    program: from.program,
    nextProgram: to.program,
    scenario: {
      ...scenario,
      kubelet: { ...kubelet, version: from.version },
      timeline: [...timeline, ...then.map((action) => ({ at, do: action }))],
      // Expectations are for the kubelet without an upgrade.
      expect: expectSchema.parse({}),
      variants: [],
    },
  });
  const pairOf = (what: string): Pair => ({
    ...(isTriangle
      ? { kubelet: `${from.label} →`, runtime: what }
      : { kubelet: what === to.label ? `${from.label}→${what}` : `${from.label} ${what}`, runtime }),
    versions: [from.version, what === to.label ? to.version : from.version],
    upgradedAt: at / 1000,
  });
  const control = make(from.label, []);
  const restarted = make(`${from.label} restarted`, [{ kubelet: 'restart' }]);
  const upgraded = make(`${from.label}→${to.label}`, [{ kubelet: { version: to.version } }]);
  return [
    { ...control, pair: pairOf(''), isControl: true },
    { ...restarted, pair: pairOf('restarted'), base: control.name },
    { ...upgraded, pair: pairOf(to.label), base: control.name, restarted: restarted.name },
  ];
}

/** Both kubelets of an upgrade are programs, or both are simulated. */
function stepsOf(kubelets: readonly ChosenKubelet[], which: Flags['upgrade']): Step[] {
  return kubelets.flatMap((from, index): Step[] => {
    const newer = kubelets.slice(index + 1);
    const before = kubelets.slice(0, index).slice(-1);
    const targets = which === 'all' ? newer : which === 'down' ? before : newer.slice(0, 1);
    return targets.map((to) =>
      from.program !== undefined && to.program !== undefined ? [from, to] : [asThin(from), asThin(to)],
    );
  });
}

const asThin = ({ program, version, label }: ChosenKubelet): ChosenKubelet =>
  program === undefined ? { version, label } : { version, label: `${version} (thin)` };

export const isComparable = ({
  kubelet = [],
  kubeletVersion = [],
  runtimeProfile = [],
  vary,
  upgrade,
}: Flags) =>
  vary !== undefined ||
  upgrade !== undefined ||
  [kubelet, kubeletVersion, runtimeProfile].some(({ length }) => length > 1);

/** Whether to compare each run with one other. */
export const isMatrix = (flags: Flags): boolean =>
  flags.output === 'matrix' ||
  (flags.output === 'html' && isComparable(flags)) ||
  ((flags.output ?? 'table') === 'table' &&
    (flags.upgrade !== undefined || (flags.json === true && isComparable(flags))));

/** Whether to compare them in one table; other output formats have none. */
export const isCompared = (flags: Flags): boolean =>
  ['table', 'matrix'].includes(flags.output ?? 'table') && !flags.explain && isComparable(flags);
