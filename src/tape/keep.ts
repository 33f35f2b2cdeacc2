import { z } from 'zod';
import { didYouMean } from '../base/input/suggest.js';

/** Redaction categories, which `--keep` can exclude; docs/tape.md describes each. */
export const redactions = ['env', 'auth', 'exec', 'logs', 'annotations', 'info', 'raw'] as const;
export type Redaction = (typeof redactions)[number];

/** Value of `--keep`: categories separated by commas, or `all`. */
export const keepSchema = z.string().transform((text, context): Redaction[] => {
  if (text === 'all') return [...redactions];
  const names = text.split(',');
  for (const name of names) {
    if (redactions.some((each) => each === name)) continue;
    const message = `"${name}" is not one of ${redactions.join(', ')}, all${didYouMean(name, redactions)}`;
    context.addIssue({ code: 'custom', message });
  }
  return names as Redaction[];
});
