import { InputError } from '../../../base/input/yaml.js';
import { kubeletVersion } from '../../../kubelet/config/version.js';
import { DEFAULT_KUBELET_VERSION, kubeletVersions } from '../../../kubelet/config/versions.js';
import type { RuntimeProfileName } from '../../../runtime/profiles/index.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Observation } from '../observation.js';
import type { NodeChoice } from './evaluate.js';
import { isUpgraded, UPGRADE } from './upgrades.js';

/** Kubelet versions with visibly different behavior: the default, then by difference (kubelet/config/version.ts). */
const DIFFERING: readonly string[] = [DEFAULT_KUBELET_VERSION, '1.35', '1.31', '1.28', '1.36', '1.34'];

/** Runtimes with visibly different behavior: the one without deviations, then others (docs/profiles.md). */
const untoldRuntimes: readonly RuntimeProfileName[] = ['strict', 'containerd-2.4', 'cri-o-1.36'];

export interface AskedNodes {
  readonly scenario: Pick<LoadedScenario, 'kubelet' | 'runtime'>;
  readonly versions?: readonly string[] | undefined;
  readonly runtimes?: readonly RuntimeProfileName[] | undefined;
}

export function nodesFor(
  asked: AskedNodes,
  seen: Pick<Observation, 'version' | 'runtime' | 'events'>,
): NodeChoice[] {
  const [version = DEFAULT_KUBELET_VERSION, ...versions] = versionsFor(asked, seen);
  const [runtime = 'strict', ...runtimes] = runtimesFor(asked, seen);
  return [
    ...[version, ...versions].map((each) => ({ version: each, runtime })),
    ...runtimes.map((each) => ({ version, runtime: each })),
  ];
}

/** Requested versions, or the node's, or the scenario's, or all that differ; for an upgrade, the one before it. */
function versionsFor(
  { versions, scenario }: AskedNodes,
  seen: Pick<Observation, 'version' | 'events'>,
): readonly string[] {
  const before = isUpgraded(seen) ? UPGRADE.from : undefined;
  const version = seen.version === UPGRADE.to ? (before ?? seen.version) : seen.version;
  const told =
    versions ?? (version !== undefined && kubeletVersions.includes(version) ? [version] : undefined);
  const own = scenario.kubelet.version === undefined ? undefined : [scenario.kubelet.version];
  return told ?? own ?? (before === undefined ? untoldVersions(scenario) : [before]);
}

/** Runtime-specific error texts for a name in use. */
const WORDS: readonly (readonly [RegExp, readonly RuntimeProfileName[]])[] = [
  [/failed to reserve (?:sandbox|container) name "/, ['containerd-2.4']],
  [/\bin CRI-O\b|error reserving (?:pod|ctr) name/, ['cri-o-1.36']],
];

/** Chosen like versions, and by error texts; a runtime that the scenario has only by default counts as unknown. */
function runtimesFor(
  { runtimes, scenario }: AskedNodes,
  { runtime, events }: Pick<Observation, 'runtime' | 'events'>,
): readonly RuntimeProfileName[] {
  const told = runtimes ?? (runtime === undefined ? undefined : [runtime]);
  const own = scenario.runtime === 'strict' ? undefined : [scenario.runtime];
  const [, bySaying] = WORDS.find(([words]) => events.some(({ message }) => words.test(message))) ?? [];
  return told ?? own ?? bySaying ?? untoldRuntimes;
}

/** Distinct kubelet versions that know the scenario's gates, ordered by how common their EventedPLEG design is. */
export function untoldVersions({ kubelet: { featureGates } }: AskedNodes['scenario']): string[] {
  const designs = new Map(kubeletVersions.map((name) => [name, designOf(name, featureGates)]));
  const like = (name: string) =>
    [...designs.values()].filter((design) => design === designs.get(name)).length;
  return DIFFERING.filter((name) => designs.get(name) !== undefined).sort((a, b) => like(b) - like(a));
}

/** How a kubelet detects changes; undefined for a version without these gates. */
function designOf(name: string, gates: Readonly<Record<string, boolean>>): string | undefined {
  try {
    const version = kubeletVersion(name, { gates });
    return version.gates.EventedPLEG ? version.evented : 'generic';
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
