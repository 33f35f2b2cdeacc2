import type { Case } from './case.js';
import { changeCases, copyCases, makeCases } from './files-cases.js';
import { streamCases } from './stream-cases.js';
import { cutCases, grepCases, sortCases } from './text-cases.js';

/** All cases, by the family of commands that they try. */
export const families: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  stream: streamCases,
  make: makeCases,
  change: changeCases,
  copy: copyCases,
  grep: grepCases,
  sort: sortCases,
  cut: cutCases,
};
