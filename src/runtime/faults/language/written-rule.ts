import { checkInput } from '../../../base/input/yaml.js';
import type { FaultInput } from './rule-schema.js';
import { faultSchema } from './schema.js';
import type { FaultSpec } from './spec.js';

export interface WrittenRule {
  /** As the user wrote it: lists of rules show this. */
  readonly written: FaultInput;
  /** Durations in ms, defaults filled in. */
  readonly spec: FaultSpec;
}

/** Reads rules that are objects already. Throws InputError that begins with `source` for an invalid rule. */
export const readRules = (rules: readonly FaultInput[], source: string): WrittenRule[] =>
  rules.map((written) => ({ written, spec: checkInput(written, faultSchema, source) }));

export const renamed = ({ written, spec }: WrittenRule, name: string): WrittenRule => ({
  written: { ...written, name },
  spec: { ...spec, name },
});
