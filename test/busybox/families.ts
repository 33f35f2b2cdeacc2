import type { Case } from './case.js';
import { awkCases, diffCases, findCases, runCases, sedCases } from './edit-cases.js';
import { changeCases, copyCases, makeCases } from './files-cases.js';
import { ddCases, digestCases, listCases, showCases } from './show-cases.js';
import { streamCases } from './stream-cases.js';
import { cutCases, grepCases, sortCases } from './text-cases.js';

export const families: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  stream: streamCases,
  make: makeCases,
  change: changeCases,
  copy: copyCases,
  grep: grepCases,
  sort: sortCases,
  cut: cutCases,
  sed: sedCases,
  awk: awkCases,
  find: findCases,
  diff: diffCases,
  run: runCases,
  list: listCases,
  show: showCases,
  dd: ddCases,
  digest: digestCases,
};
