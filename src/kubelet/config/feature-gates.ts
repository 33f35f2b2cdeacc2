import { didYouMean } from '../../base/input/suggest.js';
import { InputError } from '../../base/input/yaml.js';
import type { FeatureGate } from '../types/version.js';

/** From each minor version on. `locked`: on, whatever is asked for; `removed`: the default before stays in effect. */
type GateHistory = Readonly<Record<number, 'off' | 'on' | 'locked' | 'removed'>>;

/** Gates of pkg/features/kube_features.go that have an effect here. */
const GATES: Readonly<Record<FeatureGate, GateHistory>> = {
  EventedPLEG: { 26: 'off' },
  KubeletCrashLoopBackOffMax: { 32: 'off', 35: 'on' },
  ReduceDefaultCrashLoopBackOffDecay: { 33: 'off' },
  KubeletEnsureSecretPulledImages: { 33: 'off', 35: 'on' },
  ContainerRestartRules: { 34: 'off', 35: 'on' },
  RestartAllContainersOnContainerExits: { 35: 'off', 36: 'on' },
  ChangeContainerStatusOnKubeletRestart: { 0: 'on', 35: 'off' },
  PLEGOnDemandRelist: { 36: 'on', 37: 'locked' },
  CRIListStreaming: { 36: 'off' },
  PreventStaticPodAPIReferences: { 34: 'on', 37: 'removed' },
};

const featureGateNames = Object.keys(GATES) as FeatureGate[];

/** What a gate is and has been in a minor version; empty before it existed. */
const historyAt = (gate: FeatureGate, minor: number) =>
  Object.entries(GATES[gate]).filter(([since]) => Number(since) <= minor);

const isOnAt = (gate: FeatureGate, minor: number): boolean =>
  !['off', undefined].includes(historyAt(gate, minor).findLast(([, what]) => what !== 'removed')?.[1]);

export interface AskedGates {
  readonly gates: Readonly<Record<string, boolean>>;
  /** An option or a file field, for messages. */
  readonly source: string;
}

/**
 * Applies the requested changes to the gates of a kubelet version; later ones win. Throws InputError if a gate is
 * unknown, does not exist in the version yet, is locked, or needs a gate that is off. With `ownGates`, an unknown gate
 * is one of a kubelet program, which checks it itself.
 */
export function resolveGates(
  minor: number,
  asked: readonly AskedGates[],
  ownGates = false,
): Record<FeatureGate, boolean> {
  const problems = asked.flatMap(({ gates, source }) =>
    Object.entries(gates).flatMap(([name, on]) =>
      (ownGates && !isKnown(name) ? [] : problemOf(name, on, minor)).map(
        (problem) => `${source}: ${problem}`,
      ),
    ),
  );
  if (problems.length > 0) throw new InputError(problems);
  const wanted = gatesOf(asked);
  const entries = featureGateNames.map((gate) => [gate, wanted[gate] ?? isOnAt(gate, minor)]);
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

const isKnown = (name: string): boolean => Object.hasOwn(GATES, name);

function problemOf(name: string, on: boolean, minor: number): string[] {
  if (!isKnown(name)) {
    const hint = didYouMean(name, featureGateNames);
    return [
      `${name}: unknown feature gate${hint || `; gates with an effect here: ${featureGateNames.join(', ')}`}`,
    ];
  }
  const gate = name as FeatureGate;
  const [since, setting] = historyAt(gate, minor).at(-1) ?? [];
  const lacks = `${gate}: kubelet 1.${minor} does not have this gate`;
  if (setting === undefined) return [`${lacks}; it was added in 1.${Object.keys(GATES[gate])[0]}`];
  if (setting === 'removed')
    return [
      `${lacks}; it was removed in 1.${since}, where it is always ${isOnAt(gate, minor) ? 'on' : 'off'}`,
    ];
  return setting === 'locked' && !on
    ? [`${gate}: cannot set feature gate ${gate} to false, feature is locked to true in 1.${minor}`]
    : [];
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
