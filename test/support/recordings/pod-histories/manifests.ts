import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const historiesDirectory = new URL('../../../oracle/kubelet-1.36.3/pod-histories/', import.meta.url);
/** Recording of pods from test/peers/slow/pod-histories/random-pods.ts. */
export const randomHistoriesDirectory = new URL(
  '../../../oracle/kubelet-1.36.3/random-pod-histories/',
  import.meta.url,
);

/** Interval between two manifests, in ms. */
export const STAGGER = 700;

/** Name of the node, the suffix of static pods' names. */
export const NODE = 'mock-node';

/** A pod whose history is recorded, and external changes to it, in seconds after its manifest appeared. */
export interface PodPlan {
  readonly name: string;
  /** When its manifest appears, in seconds after the first one. */
  readonly beginAt: number | undefined;
  /** JSON. */
  readonly manifest: string;
  readonly removedAt: number | undefined;
  /** When the manifest returns. */
  readonly backAt: number | undefined;
  /** When its manifest becomes `changed`. */
  readonly changedAt: number | undefined;
  readonly changed: string;
  /** End of the comparison, in seconds. */
  readonly until: number | undefined;
}

interface RawPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The pods of a run. A name for the run makes their uids unique on a runtime with earlier runs. */
export function readPodPlans(run = '', directory = historiesDirectory): PodPlan[] {
  const text = readFileSync(new URL('pods.yaml', directory), 'utf8');
  return text.split(/^---\n/m).map((document) => {
    const pod = parse(document) as RawPod;
    const { name, annotations } = pod.metadata;
    const seconds = (annotation: string) => {
      const value = annotations?.[annotation];
      return value === undefined ? undefined : Number.parseFloat(value);
    };
    const manifest = (added: Record<string, string>) =>
      JSON.stringify({ ...pod, metadata: { name, annotations: { ...annotations, ...added } } });
    return {
      name,
      manifest: manifest({ 'life/run': run }),
      changed: manifest({ 'life/run': run, 'life/is': 'changed' }),
      beginAt: seconds('life/begin-at'),
      removedAt: seconds('life/removed-at'),
      backAt: seconds('life/back-at'),
      changedAt: seconds('life/changed-at'),
      until: seconds('life/until'),
    };
  });
}

export interface PlanSteps {
  /** Schedules an action, in ms from now. */
  at(delay: number, act: () => void): void;
  /** Writes or replaces the manifest. */
  put(plan: PodPlan, manifest: string, isNew: boolean): void;
  remove(plan: PodPlan): void;
}

/** Plays the external changes of all pods. */
export function play(plans: readonly PodPlan[], { at, put, remove }: PlanSteps): void {
  for (const [index, plan] of plans.entries()) {
    const begin = (plan.beginAt ?? (index * STAGGER) / 1000) * 1000;
    const later = (seconds: number | undefined, act: () => void) => {
      if (seconds !== undefined) at(begin + seconds * 1000, act);
    };
    at(begin, () => put(plan, plan.manifest, true));
    later(plan.removedAt, () => remove(plan));
    later(plan.backAt, () => put(plan, plan.manifest, false));
    later(plan.changedAt, () => put(plan, plan.changed, false));
  }
}
