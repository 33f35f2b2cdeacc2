import { readYaml } from '../../input/yaml.js';
import { faultFileSchema } from './schema.js';
import { pairRules, type WrittenRule } from './written-rule.js';

/** What a file of rules says. */
export interface FaultFile {
  readonly seed: number | undefined;
  readonly faults: readonly WrittenRule[];
}

/** Reads a file of rules (YAML or JSON). Throws InputError with file, line and column of each mistake. */
export function parseFaultFile(text: string, file: string): FaultFile {
  const { value, written } = readYaml(text, faultFileSchema, file);
  return { seed: value.seed, faults: pairRules(written.faults ?? [], value.faults) };
}
