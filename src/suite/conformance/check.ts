import type { CheckContext } from './check-context.js';
import type { Rule } from './rules.js';

export interface Check extends Rule {
  run(context: CheckContext): Promise<void>;
}

/** The functions that check the rules, by id. */
export type Checks = Readonly<Record<string, Check['run']>>;

/** Invariant of a check: `INV-12` of `INV-12.sandbox`. */
export const invariantOf = (id: string): string => id.split('.', 1)[0] as string;
