import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { likelihoodOf } from '../../explore/causes/likelihood.js';
import { statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import type { Observation } from '../observation.js';

const HINTS: readonly (readonly [seen: RegExp, kinds: RegExp])[] = [
  [/RunContainerError|StartError/, /StartContainer/],
  [
    /CreateContainerError|name.*(?:in use|reserved)/,
    /CreateContainer|clock|runtime restarted|(?:empty list|stale reply) .*ListContainers/,
  ],
  [/ErrImagePull|ImagePullBackOff|Failed to pull/, /PullImage/],
  [/FailedCreatePodSandBox|Pending/, /RunPodSandbox/],
  [/^slow start$/, /^(?:delay|slow) .*(?:RunPodSandbox|PullImage|CreateContainer|StartContainer)/],
  [/FailedKillPod|Terminating/, /Stop|stale|lists/],
  [/NotReady|PLEG/, /lists|Ready=false|List|Status\b|Version|kubelet/],
  [/NetworkNotReady|network/, /NetworkReady/],
  [/error reading from server: EOF/, /runtime restarted/],
  [/SandboxChanged/, /runtime restarted|PodSandbox/],
  [/Unhealthy/, /ExecSync/],
];

/** How far likely kinds move up: before the third of each other kind. */
const EARLIER = 2;

/** In seconds: longer than a pod needs that only pulls an image. */
const SLOW = 20;

const isSlowStart = ({ status, first, last }: SeenState): boolean =>
  /^(?:ContainerCreating|PodInitializing|Init:\d+\/\d+)$/.test(status) &&
  Math.max((last?.from ?? 0) - (first?.to ?? 0), last?.from ?? first?.from ?? 0) > SLOW;

/** One of each kind first, then the second of each; likely kinds move up, then those common in clusters. */
export function byHints(perturbations: readonly Perturbation[], seen: Observation): Perturbation[] {
  const { rows, events, nodes } = seen;
  const words = new Set([
    ...rows.map(({ status }) => status),
    ...[...statesByPod(seen).values()]
      .flat()
      .filter(isSlowStart)
      .map(() => 'slow start'),
    ...events.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason} ${message}`),
    ...nodes.filter(({ isReady, time }) => !isReady && (time?.from ?? 9) > 5).map(() => 'NotReady'),
  ]);
  const kinds = HINTS.filter(([seen]) => [...words].some((word) => seen.test(word))).map(([, kind]) => kind);
  const isLikely = ({ kind }: Perturbation) => kinds.some((pattern) => pattern.test(kind));
  const counts = new Map<string, number>();
  const placed = perturbations.map((each) => {
    const before = counts.get(each.kind) ?? 0;
    counts.set(each.kind, before + 1);
    return { each, turn: before - (isLikely(each) ? EARLIER : 0), likelihood: likelihoodOf([each]) };
  });
  return placed.sort((a, b) => a.turn - b.turn || b.likelihood - a.likelihood).map(({ each }) => each);
}
