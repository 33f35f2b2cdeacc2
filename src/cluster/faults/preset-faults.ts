import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { formatDuration } from '../../base/input/duration.js';
import { durationSchema } from '../../base/input/schemas.js';
import type { FaultInput } from '../../runtime/faults/language/rule-schema.js';
import { readRules, renamed, type WrittenRule } from '../../runtime/faults/language/written-rule.js';
import type { ClusterNode } from '../node/cluster-node.js';

export const presetFaults = ['NodeDown', 'KubeletRestart', 'RuntimeRestart', 'SlowDisk'] as const;

/** Names a node's own rules so that no user's rule has the same name: the rules of all nodes go to each node. */
export const nodeRules = (
  rules: readonly FaultInput[],
  source: string,
  names: readonly string[],
): WrittenRule[] => readRules(rules, source).map((rule, index) => renamed(rule, `node/${names[index]}`));

export type PresetFault = (typeof presetFaults)[number];

/** `{kind: NodeDown, node: mock-1*, for: 5m}`: the fault, the nodes, and the duration (ms). */
export const presetFaultSchema = z.strictObject({
  kind: z.enum(presetFaults),
  node: z.string().min(1),
  for: durationSchema.optional(),
});

/** Default durations in ms: a reboot, systemd's RestartSec for the kubelet, a fast restart. */
const DEFAULTS: Readonly<Record<PresetFault, number>> = {
  NodeDown: 120_000,
  KubeletRestart: 10_000,
  RuntimeRestart: 2000,
  SlowDisk: 300_000,
};

export interface PresetFaultContext {
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/** By node: ends the wait for the start of its kubelet. */
const absences = new WeakMap<ClusterNode, AbortController>();

/** Stops the kubelet for `duration` ms, unless another fault happens to the node first. */
function absent(
  node: ClusterNode,
  duration: number,
  { clock, log }: PresetFaultContext,
  meanwhile = async () => {},
): void {
  const absence = new AbortController();
  absences.get(node)?.abort();
  absences.set(node, absence);
  node.stopKubelet();
  void clock
    .run(async () => {
      await meanwhile();
      await clock.sleep(duration, absence.signal);
      await node.startKubelet();
    })
    .catch((error: unknown) => absence.signal.aborted || log(`node ${node.name}: ${String(error)}`));
}

/** Ends the fault that the node is in. */
export function recover(node: ClusterNode, { clock, log }: PresetFaultContext): void {
  absences.get(node)?.abort();
  for (const source of presetFaults) node.assembly.faults.registry.replaceSource([], source);
  void clock.run(node.startKubelet).catch((error: unknown) => log(`node ${node.name}: ${String(error)}`));
}

/** Starts the fault and returns immediately. `duration` is in ms. */
export function happen(
  kind: PresetFault,
  node: ClusterNode,
  duration: number = DEFAULTS[kind],
  context: PresetFaultContext,
): void {
  const { registry } = node.assembly.faults;
  switch (kind) {
    case 'NodeDown':
      // A machine that lost power has no containers when it is back.
      absent(node, duration, context, () => node.runtime.loseState());
      return;
    case 'KubeletRestart':
      absent(node, duration, context);
      return;
    case 'RuntimeRestart':
    case 'SlowDisk': {
      const rules = kind === 'SlowDisk' ? slowDisk(duration) : [restart(duration)];
      // Rules from the same source are replaced, which ends an earlier fault that is still active.
      const names = rules.map(({ name }) => name ?? kind);
      registry.replaceSource(nodeRules(rules, kind, names), kind);
      context.clock.setTimer(duration + 1, () => registry.replaceSource([], kind));
    }
  }
}

const restart = (duration: number): FaultInput => ({
  name: 'RuntimeRestart',
  on: 'time',
  then: { restart: { downFor: formatDuration(duration) } },
});

/** Writing calls wait for seconds, reading ones for a fraction (containerd on a throttled disk). */
const slowDisk = (duration: number): FaultInput[] => {
  const when = { during: { for: formatDuration(duration) } };
  const writes = [
    'RunPodSandbox',
    'CreateContainer',
    'StartContainer',
    'PullImage',
    'RemoveContainer',
    'RemovePodSandbox',
  ];
  return [
    {
      name: 'SlowDisk-writes',
      match: { method: writes },
      when,
      then: { delay: { duration: '5s', jitter: '5s' } },
    },
    {
      name: 'SlowDisk-lists',
      match: { method: '@list' },
      when,
      then: { delay: { duration: '300ms', jitter: '300ms' } },
    },
  ];
};
