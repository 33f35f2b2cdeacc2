import { InputError } from '../../base/input/yaml.js';
import type { KubeletVersion } from '../types/version.js';
import { type AskedGates, resolveGates } from './feature-gates.js';
import { kubeletVersions } from './versions.js';

type Behavior = Omit<KubeletVersion, 'name' | 'minor' | 'gates'>;

const CHANGES: readonly (readonly [minor: number, change: Partial<Behavior>])[] = [
  [28, { backOffKey: 'stable', containerHash: 'whole', startEvents: 'plain', requeue: 'fixed' }],
  [28, { cacheMiss: 'empty', evented: 'A-seconds', nodeMonitorGracePeriod: 40 }],
  [28, { sandboxCondition: false, resizes: false, pullErrorInBackOff: false }],
  [28, { probeError: 'short', probeTimeout: 'plain' }],
  [29, { startEvents: 'colon', cacheMiss: 'wait', sandboxCondition: true }],
  [31, { containerHash: 'image-and-name', probeTimeout: 'with-limit' }],
  [32, { evented: 'A', nodeMonitorGracePeriod: 50, pullErrorInBackOff: true }],
  [33, { resizes: true, probeError: 'with-result' }],
  [34, { backOffKey: 'fnv64' }],
  [35, { startEvents: 'short', requeue: 'expiry' }],
  [37, { evented: 'B' }],
];

/** Deviations from a kubelet version's defaults. */
export interface VersionOptions {
  /** As given with `--feature-gates`. */
  readonly gates?: Readonly<Record<string, boolean>>;
  /** The same from several sources; later ones win. */
  readonly asked?: readonly AskedGates[];
  /** Overrides the version's design of the evented PLEG; `C` is the draft after 1.37. */
  readonly evented?: KubeletVersion['evented'] | undefined;
  /** Whether gates that are unknown here are allowed, because a program has them. */
  readonly ownGates?: boolean | undefined;
}

/** Behavior of a kubelet version such as `1.36`. Throws InputError for unknown versions and gates. */
export function kubeletVersion(name: string, options: VersionOptions = {}): KubeletVersion {
  if (!kubeletVersions.includes(name)) {
    const range = `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`;
    throw new InputError([`--kubelet-version: given "${name}"; expected one of ${range}`]);
  }
  const { gates = {}, asked = [{ gates, source: '--feature-gates' }] } = options;
  const minor = Number(name.slice(2));
  const behavior = Object.assign(
    {},
    ...CHANGES.filter(([since]) => since <= minor).map(([, change]) => change),
  ) as Behavior;
  return {
    name,
    minor,
    gates: resolveGates(minor, asked, options.ownGates),
    ...behavior,
    evented: options.evented ?? behavior.evented,
  };
}
