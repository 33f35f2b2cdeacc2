import type { z } from 'zod';
import type { budgetSchema } from '../../options/budget.js';
import { readBy } from '../../options/option.js';

/** The part of one process in a search: `2/4`. */
export const shardSchema = readBy((text) => {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return index !== undefined && of !== undefined && index >= 1 && index <= of
    ? { index: index - 1, of }
    : undefined;
}, 'expected a shard such as "1/4"');

export interface Flags {
  readonly budget: z.output<typeof budgetSchema>;
  readonly seed: string;
  readonly depth: number;
  readonly only: string[];
  readonly replicas?: number;
  readonly known?: string;
  readonly oracle?: string;
  readonly out: string;
  readonly workers?: number;
  readonly kubeletVersion?: readonly string[];
  readonly kubelet?: string;
  readonly plugin?: string;
  readonly confirm?: string;
  readonly junit?: string;
  readonly shard: z.output<typeof shardSchema>;
  readonly resume: boolean;
  readonly json: boolean;
  readonly new: boolean;
}
