import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const livesDirectory = new URL('../../oracle/kubelet-1.36.3/lives/', import.meta.url);
/** Of pods that test/peers/lives/random-pods.ts invented. */
export const randomLivesDirectory = new URL('../../oracle/kubelet-1.36.3/random-lives/', import.meta.url);

/** Between two manifests, in ms. */
export const STAGGER = 700;

/** What a node has its name appended to in those of static pods. */
export const NODE = 'mock-node';

/** A pod whose life was recorded, and what happens to it from outside, in seconds after its manifest appeared. */
export interface Life {
  readonly name: string;
  /** When its manifest appears, in seconds after the first. */
  readonly beginAt: number | undefined;
  /** JSON. */
  readonly manifest: string;
  readonly removedAt: number | undefined;
  /** It is there again. */
  readonly backAt: number | undefined;
  /** Its manifest becomes `changed` then. */
  readonly changedAt: number | undefined;
  readonly changed: string;
  /** What comes after that many seconds is not compared. */
  readonly until: number | undefined;
}

interface RawPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The pods of a run; a name of its own makes their uids its own, on a runtime that has seen others. */
export function readLives(run = '', directory = livesDirectory): Life[] {
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

export interface LifeSteps {
  /** What happens at a time from now, in ms. */
  at(delay: number, act: () => void): void;
  /** The manifest is there, or is replaced. */
  put(life: Life, manifest: string, isNew: boolean): void;
  remove(life: Life): void;
}

/** Does to each pod what happens to it from outside. */
export function play(lives: readonly Life[], { at, put, remove }: LifeSteps): void {
  for (const [index, life] of lives.entries()) {
    const begin = (life.beginAt ?? (index * STAGGER) / 1000) * 1000;
    const later = (seconds: number | undefined, act: () => void) => {
      if (seconds !== undefined) at(begin + seconds * 1000, act);
    };
    at(begin, () => put(life, life.manifest, true));
    later(life.removedAt, () => remove(life));
    later(life.backAt, () => put(life, life.manifest, false));
    later(life.changedAt, () => put(life, life.changed, false));
  }
}
