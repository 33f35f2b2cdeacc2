import { didYouMean } from '../../base/input/suggest.js';
import { InputError } from '../../base/input/yaml.js';
import type { FeatureGate } from '../types/version.js';

interface GateHistory {
  /** Default and lock of the gate, from each minor version on. */
  readonly since: readonly { readonly minor: number; readonly on: boolean; readonly locked?: true }[];
  /** Minor version that removed the gate; its last default stays in effect. */
  readonly removed?: number;
}

/** Gates of pkg/features/kube_features.go that have an effect here. */
const GATES: Readonly<Record<FeatureGate, GateHistory>> = {
  EventedPLEG: { since: [{ minor: 26, on: false }] },
  KubeletCrashLoopBackOffMax: {
    since: [
      { minor: 32, on: false },
      { minor: 35, on: true },
    ],
  },
  ReduceDefaultCrashLoopBackOffDecay: { since: [{ minor: 33, on: false }] },
  KubeletEnsureSecretPulledImages: {
    since: [
      { minor: 33, on: false },
      { minor: 35, on: true },
    ],
  },
  ContainerRestartRules: {
    since: [
      { minor: 34, on: false },
      { minor: 35, on: true },
    ],
  },
  RestartAllContainersOnContainerExits: {
    since: [
      { minor: 35, on: false },
      { minor: 36, on: true },
    ],
  },
  ChangeContainerStatusOnKubeletRestart: {
    since: [
      { minor: 0, on: true },
      { minor: 35, on: false },
    ],
  },
  PLEGOnDemandRelist: {
    since: [
      { minor: 36, on: true },
      { minor: 37, on: true, locked: true },
    ],
  },
  CRIListStreaming: { since: [{ minor: 36, on: false }] },
  PreventStaticPodAPIReferences: { since: [{ minor: 34, on: true }], removed: 37 },
};

const featureGateNames = Object.keys(GATES) as FeatureGate[];

/** Undefined before the gate existed. */
const settingAt = (gate: FeatureGate, minor: number) =>
  GATES[gate].since.findLast((entry) => entry.minor <= minor);

export interface AskedGates {
  readonly gates: Readonly<Record<string, boolean>>;
  /** An option or a file field, for messages. */
  readonly source: string;
}

/**
 * Applies the requested changes to the gates of a kubelet version; later ones win. Throws InputError if a gate is
 * unknown, does not exist in the version yet, is locked, or needs a gate that is off.
 */
export function resolveGates(minor: number, asked: readonly AskedGates[]): Record<FeatureGate, boolean> {
  const problems = asked.flatMap(({ gates, source }) =>
    Object.entries(gates).flatMap(([name, on]) =>
      problemOf(name, on, minor).map((problem) => `${source}: ${problem}`),
    ),
  );
  if (problems.length > 0) throw new InputError(problems);
  const wanted = gatesOf(asked);
  const entries = featureGateNames.map((gate) => [gate, wanted[gate] ?? settingAt(gate, minor)?.on ?? false]);
  const gates = Object.fromEntries(entries) as Record<FeatureGate, boolean>;
  if (gates.RestartAllContainersOnContainerExits && !gates.ContainerRestartRules) {
    const { source } = asked.findLast((each) => 'ContainerRestartRules' in each.gates) ?? { source: '' };
    throw new InputError([
      `${source}: RestartAllContainersOnContainerExits is enabled, but depends on features that are disabled: [ContainerRestartRules]`,
    ]);
  }
  return gates;
}

/** Merges the requested gates; later ones win. */
export const gatesOf = (asked: readonly AskedGates[]): Readonly<Record<string, boolean>> =>
  Object.assign({}, ...asked.map(({ gates }) => gates));

function problemOf(name: string, on: boolean, minor: number): string[] {
  if (!Object.hasOwn(GATES, name)) {
    const hint = didYouMean(name, featureGateNames);
    return [
      `${name}: unknown feature gate${hint || `; gates with an effect here: ${featureGateNames.join(', ')}`}`,
    ];
  }
  const gate = name as FeatureGate;
  const setting = settingAt(gate, minor);
  if (setting === undefined) {
    return [
      `${gate}: kubelet 1.${minor} does not have this gate; it was added in 1.${GATES[gate].since[0]?.minor}`,
    ];
  }
  const { removed } = GATES[gate];
  if (removed !== undefined && minor >= removed) {
    const always = setting.on ? 'on' : 'off';
    return [
      `${gate}: kubelet 1.${minor} does not have this gate; it was removed in 1.${removed}, where it is always ${always}`,
    ];
  }
  if (setting.locked && setting.on !== on) {
    return [
      `${gate}: cannot set feature gate ${gate} to ${on}, feature is locked to ${setting.on} in 1.${minor}`,
    ];
  }
  return [];
}

/** Reads `EventedPLEG=true,CRIListStreaming=false`; undefined for any other text. */
export function parseFeatureGates(text: string): Record<string, boolean> | undefined {
  const gates: [string, boolean][] = [];
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(true|false)\s*$/i.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    gates.push([name, value.toLowerCase() === 'true']);
  }
  return Object.fromEntries(gates);
}
