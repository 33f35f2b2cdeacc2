import { escapeMarkup } from '../../../base/markup/escape.js';
import { type Group, groups, severities, severityOf, severityWords } from '../rules.js';
import { countOutcomes, describeCounts } from './counts.js';
import { describeFailure } from './failure-text.js';
import { script, style } from './html-assets.js';
import { noteOf } from './notes.js';
import { nameOf, type SavedOutcome, type SavedReport, type SavedResult } from './saved.js';

const WORDS: Readonly<Record<SavedOutcome, string>> = {
  passed: '✓ pass',
  failed: '✗ FAIL',
  deviates: '~ deviates',
  surprise: '! passes',
  skipped: '– skip',
};

/** A self-contained page: one column per runtime, one row per check, details in each cell. */
export function toHtml(reports: readonly SavedReport[]): string {
  const title = `CRI conformance: ${reports.map(nameOf).join(', ')}`;
  const rows = [...failedRows(reports), ...groups.flatMap((group) => groupRows(group, reports))];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>CRI conformance</h1>
<p class="controls"><label>Show <select id="show"><option value="">all checks</option><option value="differs">where runtimes differ</option><option value="bad">failures and deviations</option>${severities
    .map(
      (severity) =>
        `<option value="bad-${severity}">those where ${escapeMarkup(severityWords[severity])}</option>`,
    )
    .join('')}</select></label>
<label>Search <input id="search" type="search" placeholder="INV-29, events, …"></label></p>
<table>
<thead><tr><th scope="col">Check</th>${reports.map(columnHead).join('')}</tr></thead>
${rows.join('\n')}
</table>
<script>${script}</script>
</body>
</html>
`;
}

function columnHead(report: SavedReport): string {
  const { profile, seed, duration, endpoint, startedAt, unusable, incomplete, interrupted } = report;
  const run = `profile ${profile ?? 'unknown'}, seed ${seed}, ${(duration / 1000).toFixed(1)} s`;
  const where = `${endpoint}${startedAt === undefined ? '' : `, ${startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`}`;
  const trouble = unusable ?? incomplete ?? (interrupted ? 'interrupted' : undefined);
  return `<th scope="col">${escapeMarkup(nameOf(report))}
<small>${escapeMarkup(where)}<br>${describeCounts(countOutcomes(report.results))}<br>${run}</small>${
    trouble === undefined ? '' : `<small class="failed">${escapeMarkup(trouble)}</small>`
  }</th>`;
}

type Rows = readonly SavedResult[];

/** Failing checks, before all others and worst first. */
function failedRows(reports: readonly SavedReport[]): string[] {
  return severities.flatMap((severity) => {
    const failed = checksOf(
      reports,
      ({ id, outcome }) => outcome === 'failed' && severityOf(id) === severity,
    );
    return section(`failures: ${severityWords[severity]}`, failed, reports);
  });
}

const groupRows = (group: Group, reports: readonly SavedReport[]): string[] =>
  section(
    group,
    checksOf(reports, ({ id, group: own }) => own === group && !hasFailed(id, reports)),
    reports,
  );

const hasFailed = (id: string, reports: readonly SavedReport[]): boolean =>
  reports.some(({ results }) => results.some((result) => result.id === id && result.outcome === 'failed'));

function checksOf(reports: readonly SavedReport[], fits: (result: SavedResult) => boolean): Rows {
  const checks = new Map<string, SavedResult>();
  for (const { results } of reports)
    for (const result of results) if (fits(result)) checks.set(result.id, result);
  return [...checks.values()];
}

function section(title: string, checks: Rows, reports: readonly SavedReport[]): string[] {
  if (checks.length === 0) return [];
  const head = `<tr class="group"><th colspan="${reports.length + 1}" scope="rowgroup">${title}</th></tr>`;
  return [`<tbody>${head}`, ...checks.map((check) => row(check, reports)), '</tbody>'];
}

function row({ id, rule, tag, source }: SavedResult, reports: readonly SavedReport[]): string {
  const results = reports.map((report) => report.results.find((result) => result.id === id));
  const outcomes = new Set(results.map((result) => result?.outcome));
  const isBad = outcomes.has('failed') || outcomes.has('deviates') || outcomes.has('surprise');
  const severity = severityOf(id);
  const kinds = `${outcomes.size > 1 ? 'differs ' : ''}${isBad ? `bad bad-${severity}` : ''}`;
  return `<tr class="check ${kinds}" id="${escapeMarkup(id)}"><th scope="row"><a href="#${escapeMarkup(id)}">${escapeMarkup(id)}</a> <em>${tag}</em> <em>${severity}</em>
<span>${escapeMarkup(rule)}</span><small>${escapeMarkup(source)}</small></th>${results.map(cell).join('')}</tr>`;
}

const link = (path: string, text: string): string =>
  `<a href="${escapeMarkup(path.split('/').map(encodeURIComponent).join('/'))}">${text}</a>`;

function cell(result: SavedResult | undefined): string {
  if (result === undefined) return '<td class="absent">not run</td>';
  const { outcome, reason, failure, deviation, left, duration } = result;
  const notes: string[] = [];
  if (reason !== undefined) notes.push(`<p>${escapeMarkup(reason)}</p>`);
  if (outcome === 'surprise') notes.push(`<p>${escapeMarkup(noteOf(result) ?? '')}</p>`);
  if (deviation !== undefined)
    notes.push(
      `<p>${escapeMarkup(deviation.why)} (<a href="${escapeMarkup(deviation.link)}">source</a>)</p>`,
    );
  if (failure?.page !== undefined) notes.push(`<p>${link(failure.page, 'Timeline')}</p>`);
  if (failure?.tape !== undefined) notes.push(`<p>${link(failure.tape, 'Tape')}</p>`);
  if (failure !== undefined || left.length > 0)
    notes.push(`<pre>${escapeMarkup(describeFailure(result))}</pre>`);
  const word = `${WORDS[outcome]}${left.length > 0 ? ' (left over)' : ''}`;
  const time = `<small>${Math.round(duration)} ms</small>`;
  return notes.length > 0
    ? `<td class="${outcome}"><details><summary>${word} ${time}</summary>${notes.join('')}</details></td>`
    : `<td class="${outcome}">${word} ${time}</td>`;
}
