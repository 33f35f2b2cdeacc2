import { readFileSync } from 'node:fs';
import type { Identity } from './identity.js';

/** A measurement of one runtime by test/peers/slow/profiles. */
export interface Measurement {
  /** `2026-11-22` */
  readonly date: string;
  readonly machine: {
    readonly processors: number;
    readonly kernel: string;
    readonly cgroup: 1 | 2;
    /** Load average of the minute before. */
    readonly load: number;
  };
  readonly identity: Identity;
  /** By the names of the probes. */
  readonly answers: Readonly<Record<string, string>>;
  /** Number of measured times, by operation. */
  readonly samples: Readonly<Record<string, number>>;
  /** Quantiles in ms, by operation. */
  readonly latency: Readonly<Record<string, readonly number[]>>;
}

export const readMeasurement = (name: string): Measurement =>
  JSON.parse(
    readFileSync(new URL(`../../oracle/profiles/${name}.json`, import.meta.url), 'utf8'),
  ) as Measurement;
