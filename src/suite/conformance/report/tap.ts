import { severityOf } from '../rules.js';
import { countOutcomes, describeCounts } from './counts.js';
import type { SavedReport, SavedResult } from './saved.js';

/** Test Anything Protocol, version 14: known deviations are TODO, skipped checks are SKIP. */
export function toTap(report: SavedReport): string {
  const { results, unusable, incomplete, interrupted } = report;
  const lines = ['TAP version 14', `1..${results.length}`];
  if (report.runtime) lines.push(`# ${report.runtime.name} ${report.runtime.version} at ${report.endpoint}`);
  for (const [index, result] of results.entries()) lines.push(...testLines(result, index + 1));
  lines.push(`# ${describeCounts(countOutcomes(results))}`);
  const trouble = unusable ?? incomplete;
  if (trouble !== undefined) lines.push(`Bail out! ${oneLine(trouble)}`);
  else if (interrupted) lines.push('Bail out! interrupted');
  return `${lines.join('\n')}\n`;
}

function testLines(result: SavedResult, number: number): string[] {
  const { outcome, id, rule, failure } = result;
  const ok = outcome === 'failed' || outcome === 'deviates' ? 'not ok' : 'ok';
  const line = `${ok} ${number} - ${escapeHash(`${id} ${rule}`)}${directive(result)}`;
  if (failure === undefined) return [line];
  const block = {
    source: result.source,
    severity: severityOf(id),
    expected: failure.expected,
    received: failure.received,
    calls: failure.calls.map(({ method, request, outcome }) => `${method} ${request} -> ${outcome}`),
    ...(failure.crictl !== undefined && { crictl: failure.crictl }),
    ...(failure.tape !== undefined && { tape: failure.tape }),
    ...(failure.page !== undefined && { timeline: failure.page }),
    rerun: result.rerun,
  };
  // The block must be YAML; JSON is valid YAML.
  const yaml = Object.entries(block).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [line, '  ---', ...yaml, '  ...'];
}

function directive({ outcome, reason, deviation }: SavedResult): string {
  if (outcome === 'skipped') return ` # SKIP ${oneLine(reason ?? '')}`;
  if (outcome === 'deviates') return ` # TODO known deviation: ${deviation?.why} (${deviation?.link})`;
  return '';
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
const escapeHash = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('#', '\\#');
