import { severityOf, severityWords } from '../rules.js';
import { sentencesOf } from '../sentences.js';
import type { SavedResult } from './saved.js';

/** Number of calls in the text; the JSON report has more. */
const SHOWN_CALLS = 8;

/** Number of sentences of the API in the text; `npm run api -- sentences` prints all. */
const SHOWN_SENTENCES = 3;

/**
 * Text of a failure: the rule, its severity and source, the sentences of the API, expected, received, the calls, crictl
 * commands, and the command to run the check alone.
 */
export function describeFailure({ id, rule, source, failure, rerun, left }: SavedResult): string {
  const lines = [`rule:      ${rule}`, `matters:   ${severityWords[severityOf(id)]}`, `from:      ${source}`];
  for (const { item, text } of sentencesOf(id).slice(0, SHOWN_SENTENCES))
    lines.push(`api:       ${item}: ${text}`);
  if (failure !== undefined) {
    lines.push(`expected:  ${indent(failure.expected)}`, `received:  ${indent(failure.received)}`);
    const calls = failure.calls.slice(-SHOWN_CALLS);
    const hidden = failure.calls.length - calls.length;
    if (calls.length > 0) lines.push(hidden > 0 ? `calls:     (${hidden} before these)` : 'calls:');
    for (const { method, request, outcome } of calls) lines.push(`  ${method} ${request}`, `    ${outcome}`);
  }
  if (failure?.crictl) lines.push('crictl:', ...failure.crictl.split('\n').map((line) => `  ${line}`));
  if (failure?.page !== undefined) lines.push(`timeline:  ${failure.page}`);
  if (failure?.tape !== undefined) lines.push(`tape:      ${failure.tape}`);
  for (const thing of left) lines.push(`left over: ${thing}`);
  lines.push(`alone:     ${rerun}`);
  return lines.join('\n');
}

const indent = (text: string): string => text.replaceAll('\n', `\n${' '.repeat(11)}`);
