import type { UnknownImages } from '../../../../adapters/memory/guess/facts.js';
import type { WrittenRule } from '../../../runtime/faults/language/written-rule.js';
import type { Assumptions } from './assumptions.js';
import type { Scenario, ScenarioAction, ScenarioPod } from './schema.js';

/** A pod of a scenario; the kubelet's reader parses the manifest, so it stays as written. */
export type LoadedPod = Omit<ScenarioPod, 'manifest'> & { readonly manifest?: unknown };

/** A step of the timeline; pod and fault rule stay as written for their own readers. */
export type LoadedAction = Omit<ScenarioAction, 'addFault' | 'addPod'> & {
  readonly addFault?: readonly WrittenRule[] | undefined;
  readonly addPod?: LoadedPod | undefined;
};

export interface LoadChoices {
  /** Whether a kubelet program runs the scenario: it may have gates and fields of pods that are unknown here. */
  readonly ownKubelet?: boolean | undefined;
  /** Behavior of containers about which nothing is known. Default: run. */
  readonly unknownImages?: UnknownImages | undefined;
}

export interface LoadedScenario extends LoadChoices, Omit<Scenario, 'faults' | 'timeline' | 'pods'> {
  readonly file: string;
  readonly faults: readonly WrittenRule[];
  readonly pods: readonly LoadedPod[];
  readonly timeline: readonly { readonly at: number; readonly do: LoadedAction }[];
  readonly manifests: ReadonlyMap<string, string>;
  /** Whether it was made from manifests: nobody wrote how long it runs and what its containers do. */
  readonly isMade?: boolean | undefined;
  readonly assumed?: Assumptions | undefined;
}
