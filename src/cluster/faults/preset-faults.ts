import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { formatDuration } from '../../base/input/duration.js';
import { durationSchema } from '../../base/input/schemas.js';
import type { FaultInput } from '../../runtime/faults/language/rule-schema.js';
import { readRules, renamed, type WrittenRule } from '../../runtime/faults/language/written-rule.js';
import type { ClusterNode } from '../node/cluster-node.js';

/** Faults of a whole node that have a name. */
export const presetFaults = ['NodeDown', 'KubeletRestart', 'RuntimeRestart', 'SlowDisk'] as const;

/**
 * Rules of a node that nobody named, under names that no user's rule can have: the rules of all nodes go to each node,
 * and must not meet one of the same name there.
 */
export const nodeRules = (
  rules: readonly FaultInput[],
  source: string,
  names: readonly string[],
): WrittenRule[] => readRules(rules, source).map((rule, index) => renamed(rule, `node/${names[index]}`));

/** One of `presetFaults`. */
export type PresetFault = (typeof presetFaults)[number];

/** `{kind: NodeDown, node: mock-1*, for: 5m}`: what happens, to which nodes, for how long (ms). */
export const presetFaultSchema = z.strictObject({
  kind: z.enum(presetFaults),
  node: z.string().min(1),
  for: durationSchema.optional(),
});

/** How long each takes when nothing is said, in ms: a reboot, systemd's RestartSec for the kubelet, a fast restart. */
const DEFAULTS: Readonly<Record<PresetFault, number>> = {
  NodeDown: 120_000,
  KubeletRestart: 10_000,
  RuntimeRestart: 2000,
  SlowDisk: 300_000,
};

/** What one needs in addition to the node. */
export interface PresetFaultContext {
  readonly clock: Clock;
  /** Called with what failed. */
  readonly log: (message: string) => void;
}

/** Lets it happen; returns at once. `duration` in ms. */
export function happen(
  kind: PresetFault,
  node: ClusterNode,
  duration: number = DEFAULTS[kind],
  { clock, log }: PresetFaultContext,
): void {
  const failed = (error: unknown) => log(`${kind} of node ${node.name}: ${String(error)}`);
  const { registry } = node.assembly.faults;
  switch (kind) {
    case 'NodeDown':
      node.stopKubelet();
      // A machine that lost its power has no containers when it is back.
      void clock.run(async () => {
        await node.runtime.loseState().catch(failed);
        await clock.sleep(duration);
        await node.startKubelet().catch(failed);
      });
      return;
    case 'KubeletRestart':
      node.stopKubelet();
      void clock.run(async () => {
        await clock.sleep(duration);
        await node.startKubelet().catch(failed);
      });
      return;
    case 'RuntimeRestart':
    case 'SlowDisk': {
      const rules = kind === 'SlowDisk' ? slowDisk(duration) : [restart(duration)];
      // The same source: what is still under way from an earlier one ends.
      const names = rules.map(({ name }) => name ?? kind);
      registry.replaceSource(nodeRules(rules, kind, names), kind);
      clock.setTimer(duration + 1, () => registry.replaceSource([], kind));
    }
  }
}

const restart = (duration: number): FaultInput => ({
  name: 'RuntimeRestart',
  on: 'time',
  then: { restart: { downFor: formatDuration(duration) } },
});

/** What writes waits for seconds, and what only reads for a part of one (containerd on a disk that is throttled). */
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
