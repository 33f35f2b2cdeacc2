import { candidatesOf } from '../../src/lab/explore/catalog/catalog.js';
import type { ScheduleFinding } from '../../src/lab/explore/run/finding.js';
import { createRunner } from '../../src/lab/explore/run/runner.js';
import { withVersion } from '../../src/lab/explore/subject/subject.js';
import { loadScenario, parseScenario } from '../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../src/lab/scenario/file/loaded-scenario.js';
import { runsOf } from '../../src/lab/scenario/file/variants.js';

/** An incident of docs/incidents.md, and the way in which exploration finds it. */
export interface Incident {
  /** Name of the scenario, whose faults are removed. */
  readonly name: string;
  /** A kubelet version with the bug. */
  readonly version: string;
  /** The first version without the bug. */
  readonly fixed?: string;
  readonly rule: string;
  /** The kind of perturbation that shows it; empty if the scenario shows it without any. */
  readonly kind: string;
}

/** Incidents that a single perturbation shows, or none. */
export const incidents: readonly Incident[] = [
  {
    name: 'e01-cache-miss',
    version: '1.28',
    fixed: '1.29',
    rule: 'REF-03',
    kind: 'delay 125s ContainerStatus',
  },
  {
    name: 'e02-created-is-started-again',
    version: '1.35',
    fixed: '1.36',
    rule: 'one-instance',
    kind: 'event 20s late GetContainerEvents',
  },
  { name: 'e03-slow-deletion', version: '1.35', fixed: '1.37', rule: 'gone-soon', kind: '' },
  {
    name: 'e04-nanoseconds-read-as-seconds',
    version: '1.30',
    fixed: '1.32',
    rule: 'shows-truth',
    kind: 'stream broken GetContainerEvents',
  },
  {
    name: 'e05-time-from-the-future',
    version: '1.36',
    fixed: '1.37',
    rule: 'one-instance',
    kind: 'event from the far future GetContainerEvents',
  },
  {
    name: 'e06-status-without-containers',
    version: '1.36',
    rule: 'one-instance',
    kind: 'no container statuses from then on PodSandboxStatus',
  },
  {
    name: 'e12-status-hangs',
    version: '1.36',
    rule: 'node-ready',
    kind: 'hang from then on ContainerStatus',
  },
  {
    name: 'e15-frozen-gauges',
    version: '1.36',
    rule: 'shows-truth',
    kind: 'lists hang from then on',
  },
  {
    name: 'evented-runtime-restart',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-pace',
    kind: 'runtime restarted for 400ms, state kept',
  },
  { name: 'e13-stale-status', version: '1.36', rule: 'one-instance', kind: 'state CREATED ContainerStatus' },
  {
    name: 'e14-event-without-sandbox',
    version: '1.35',
    fixed: '1.37',
    rule: 'shows-truth',
    kind: 'event without sandbox from then on GetContainerEvents',
  },
  {
    name: 'e14-stream-unimplemented',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-pace',
    kind: 'unimplemented from then on GetContainerEvents',
  },
  {
    name: 'evented-clean-end',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-pace',
    kind: 'ended five times GetContainerEvents',
  },
  {
    name: 'evented-fall-back',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-pace',
    kind: 'broken five times GetContainerEvents',
  },
  {
    name: 'evented-event-lost',
    version: '1.35',
    fixed: '1.37',
    rule: 'shows-truth',
    kind: 'event lost GetContainerEvents',
  },
  {
    name: 'evented-silent-stream',
    version: '1.36',
    fixed: '1.37',
    rule: 'shows-truth',
    kind: 'stream stalled GetContainerEvents',
  },
  {
    name: 'evented-first-list-fails',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-end',
    kind: 'error before ListPodSandbox',
  },
  {
    name: 'evented-state-lost',
    version: '1.36',
    fixed: '1.37',
    rule: 'same-end',
    kind: 'runtime restarted for 1s, state lost',
  },
  { name: 'create-reply-lost', version: '1.36', rule: 'counts-restarts', kind: 'reply lost CreateContainer' },
  { name: 'start-hangs', version: '1.36', rule: 'counts-restarts', kind: 'delay 125s StartContainer' },
  {
    name: 'wrong-time-unit',
    version: '1.36',
    rule: 'backs-off',
    kind: 'finished_at in seconds from then on ContainerStatus',
  },
  { name: 'clock-goes-back', version: '1.36', rule: 'same-end', kind: 'clock skewed by -1h for 1m' },
  { name: 'start-happens-late', version: '1.36', rule: 'one-instance', kind: 'done late StartContainer' },
  {
    name: 'stale-status-of-an-end',
    version: '1.36',
    rule: 'shows-truth',
    kind: 'stale reply ContainerStatus',
  },
];

/** Steps with a fault, which explore must find without help. */
const isFault = ({ do: { addFault, removeFault, restartRuntime, runtime, kubelet } }: LoadedStep): boolean =>
  (addFault ?? removeFault ?? restartRuntime ?? runtime ?? kubelet) !== undefined;

type LoadedStep = LoadedScenario['timeline'][number];

/** Number of faults and steps that the scenario of an incident needs to show it. */
export async function faultsOf({ name }: Incident): Promise<number> {
  const { faults, timeline } = await loadScenario(`scenarios/${name}.yaml`);
  return faults.length + timeline.filter(isFault).length;
}

/**
 * The scenario of an incident without its faults and expectations. Its variants for this kubelet may choose gates, but
 * do not disable the version's defaults.
 */
export async function withoutFaults(name: string, version: string): Promise<LoadedScenario> {
  const scenario = await loadScenario(`scenarios/${name}.yaml`);
  const runs = runsOf(scenario, version).map((run) => run.scenario);
  const base = runs.find(({ kubelet }) => !Object.values(kubelet.featureGates).includes(false)) ?? scenario;
  return withVersion(
    {
      ...base,
      variants: [],
      faults: [],
      timeline: base.timeline.filter((step) => !isFault(step)),
      expect: (await noExpectations()).expect,
    },
    version,
  );
}

const noExpectations = () => parseScenario('{ version: 1, until: 1s }', 'empty.yaml');

/** Whether another version shows the same finding. */
export async function hasFinding(
  { name }: Incident,
  version: string,
  { rule, pod, schedule }: ScheduleFinding,
): Promise<boolean> {
  return (await createRunner(await withoutFaults(name, version)).breaks(schedule, rule, pod)) !== undefined;
}

export interface Discovery {
  readonly finding: ScheduleFinding;
  /** Its position among the single perturbations, from 1; 0 for the run without any. */
  readonly place: number;
  readonly singles: number;
}

/** Tries the perturbations of this kind; undefined when none breaks the rule. */
export async function discover({ name, version, rule, kind }: Incident): Promise<Discovery | undefined> {
  const runner = createRunner(await withoutFaults(name, version));
  const without = await runner.run([]);
  const singles = candidatesOf(without.points);
  if (kind === '') {
    const finding = without.findings.find((each) => each.rule === rule);
    return finding && { finding, place: 0, singles: singles.length };
  }
  for (const [index, { perturbation }] of singles.entries()) {
    if (perturbation.kind !== kind) continue;
    const { findings } = await runner.run([perturbation]);
    const finding = findings.find((each) => each.rule === rule);
    if (finding !== undefined) return { finding, place: index + 1, singles: singles.length };
  }
  return undefined;
}
