import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const livesDirectory = new URL('../../oracle/kubelet-1.36.3/lives/', import.meta.url);

/** A pod whose life was recorded, and what happens to it from outside, in seconds after its manifest appeared. */
export interface Life {
  readonly name: string;
  readonly manifest: string;
  readonly removedAt: number | undefined;
  /** Its manifest becomes another one then. */
  readonly changedAt: number | undefined;
  readonly changed: string;
}

interface RawPod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

export function readLives(): Life[] {
  const text = readFileSync(new URL('pods.yaml', livesDirectory), 'utf8');
  return text.split(/^---\n/m).map((manifest) => {
    const { metadata } = parse(manifest) as RawPod;
    const seconds = (annotation: string) => {
      const value = metadata.annotations?.[annotation];
      return value === undefined ? undefined : Number.parseFloat(value);
    };
    return {
      name: metadata.name,
      manifest,
      removedAt: seconds('life/removed-at'),
      changedAt: seconds('life/changed-at'),
      changed: manifest.replace('life/changed-at', 'life/was-changed-at'),
    };
  });
}
