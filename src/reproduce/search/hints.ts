import type { Perturbation } from '../../explore/catalog/perturbation.js';
import type { Observation } from '../observation.js';

/** What was seen, and the perturbations that it makes likely. */
const HINTS: readonly (readonly [seen: RegExp, kinds: RegExp])[] = [
  [/RunContainerError|StartError/, /StartContainer/],
  [/CreateContainerError|name.*(?:in use|reserved)/, /CreateContainer|clock|runtime restarted/],
  [/ErrImagePull|ImagePullBackOff|Failed to pull/, /PullImage/],
  [/FailedCreatePodSandBox|Pending/, /RunPodSandbox/],
  [/FailedKillPod|Terminating/, /Stop|stale|lists/],
  [/NotReady|PLEG/, /lists|Ready=false|List|Status\b|Version|kubelet/],
  [/NetworkNotReady|network/, /NetworkReady/],
  [/SandboxChanged/, /runtime restarted|PodSandbox/],
  [/Unhealthy/, /ExecSync/],
];

/** Those that what was seen makes likely, first; otherwise in the same order. */
export function byHints(
  perturbations: readonly Perturbation[],
  { rows, events, nodes }: Observation,
): Perturbation[] {
  const words = new Set([
    ...rows.map(({ status }) => status),
    ...events.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason} ${message}`),
    ...nodes.filter(({ isReady, time }) => !isReady && (time?.from ?? 9) > 5).map(() => 'NotReady'),
  ]);
  const kinds = HINTS.filter(([seen]) => [...words].some((word) => seen.test(word))).map(([, kind]) => kind);
  const isLikely = ({ kind }: Perturbation) => kinds.some((pattern) => pattern.test(kind));
  return [...perturbations.filter(isLikely), ...perturbations.filter((each) => !isLikely(each))];
}
