import { formatDuration } from '../../../base/input/duration.js';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import type { Observation } from '../observation.js';
import { perturbationOf } from './seen-failure.js';

/** The only minor version whose hash of a container differs from that of the one before (kubernetes #129385). */
export const UPGRADE = { from: '1.30', to: '1.31' } as const;
const RESTARTED = /^(?:Init c|C)ontainer \S+ definition changed\b/;

/** When the kubelet restarted a container because its hash had changed, in seconds. */
const restartedAt = ({ events }: Pick<Observation, 'events'>): number[] =>
  events.flatMap(({ message, first, time }) => (RESTARTED.test(message) ? ((first ?? time)?.from ?? 0) : []));

export const isUpgraded = (seen: Pick<Observation, 'events'>): boolean => restartedAt(seen).length > 0;

export function upgrades(seen: Pick<Observation, 'events'>): Perturbation[] {
  const [first] = restartedAt(seen).sort((a, b) => a - b);
  if (first === undefined) return [];
  const at = Math.max(0, Math.floor(first) - 1) * 1000;
  return [
    perturbationOf('', at, at, {
      kind: `kubelet upgraded to ${UPGRADE.to}`,
      text: `kubelet upgraded from ${UPGRADE.from} to ${UPGRADE.to}, at ${formatDuration(at)}`,
      steps: [{ at, kubelet: { version: UPGRADE.to } }],
    }),
  ];
}
