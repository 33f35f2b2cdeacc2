import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/** Output and end of a script. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface ScriptCase {
  readonly script: string;
  /** The intended result where it differs from busybox. */
  readonly ours: Outcome | undefined;
}

const outcome = z.strictObject({ stdout: z.string(), stderr: z.string(), code: z.int() });
const entry = z.union([z.string(), z.strictObject({ script: z.string(), ours: outcome, why: z.string() })]);
const scripts = z.record(z.string(), z.array(entry));

const pathOf = (name: string): string => fileURLToPath(new URL(`../../shell/${name}`, import.meta.url));

/** Recorded results of busybox, by script. */
export const recordPath = pathOf('busybox.json');

/** The scripts, by shell construct. */
export function readScripts(): readonly (readonly [construct: string, cases: readonly ScriptCase[]])[] {
  const constructs = scripts.parse(parse(readFileSync(pathOf('scripts.yaml'), 'utf8')));
  return Object.entries(constructs).map(([construct, entries]) => [
    construct,
    entries.map((one) => (typeof one === 'string' ? { script: one, ours: undefined } : one)),
  ]);
}

export function readRecord(): Readonly<Record<string, Outcome>> {
  return z.record(z.string(), outcome).parse(JSON.parse(readFileSync(recordPath, 'utf8')));
}
