import type { WrittenRule } from '../../../runtime/faults/language/written-rule.js';
import type { Assumptions } from './assumptions.js';
import type { Scenario, ScenarioAction, ScenarioPod } from './schema.js';

/** A pod of a scenario; its manifest is as it was written, because the kubelet's reader reads it. */
export type LoadedPod = Omit<ScenarioPod, 'manifest'> & { readonly manifest?: unknown };

/** A step of the timeline; its pod and fault rule are as they were written, because their own readers read them. */
export type LoadedAction = Omit<ScenarioAction, 'addFault' | 'addPod'> & {
  readonly addFault?: WrittenRule | undefined;
  readonly addPod?: LoadedPod | undefined;
};

/** A scenario with the text of the manifests that it refers to. */
export interface LoadedScenario extends Omit<Scenario, 'faults' | 'timeline' | 'pods'> {
  readonly file: string;
  readonly faults: readonly WrittenRule[];
  readonly pods: readonly LoadedPod[];
  readonly timeline: readonly { readonly at: number; readonly do: LoadedAction }[];
  /** Text of every manifest file, by the path that the scenario gives. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Of a scenario that was made of manifests: what they are taken to mean. */
  readonly assumed?: Assumptions | undefined;
}
