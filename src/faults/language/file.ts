import { readYaml } from '../../input/yaml.js';
import type { FaultInput } from './rule-schema.js';
import { faultFileSchema } from './schema.js';

/** What a file of rules says. */
export interface FaultFile {
  readonly seed: number | undefined;
  /** As they were written. */
  readonly faults: readonly FaultInput[];
}

/** Reads a file of rules (YAML or JSON). Throws InputError with file, line and column of each mistake. */
export function parseFaultFile(text: string, file: string): FaultFile {
  const { value, written } = readYaml(text, faultFileSchema, file);
  return { seed: value.seed, faults: written.faults ?? [] };
}
