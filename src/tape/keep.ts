import { z } from 'zod';
import { didYouMean } from '../base/input/suggest.js';

/** What redaction takes out of a tape, unless `--keep` names it: docs/tape.md says what belongs to each. */
export const redactions = ['env', 'auth', 'exec', 'logs', 'annotations', 'info', 'raw'] as const;
/** One of `redactions`. */
export type Redaction = (typeof redactions)[number];

/** What `--keep` may say: categories with commas between them, or `all`. */
export const keepSchema = z.string().transform((text, context): Redaction[] => {
  if (text === 'all') return [...redactions];
  const names = text.split(',');
  for (const name of names) {
    if (redactions.some((each) => each === name)) continue;
    const message = `"${name}" is none of ${redactions.join(', ')}, all${didYouMean(name, redactions)}`;
    context.addIssue({ code: 'custom', message });
  }
  return names as Redaction[];
});
