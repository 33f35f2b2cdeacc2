import { escapeMarkup } from '../../../base/markup/escape.js';
import { countOutcomes } from './counts.js';
import { toHtml } from './html.js';
import { toJunit } from './junit.js';
import { exitCodeOf, type SavedReport } from './saved.js';
import { toTap } from './tap.js';

export const formats = {
  tap: toTap,
  junit: toJunit,
  json: (report: SavedReport) => `${JSON.stringify(report, undefined, 2)}\n`,
  html: (report: SavedReport) => toHtml([report]),
  badge: toBadge,
} as const;

export type Format = keyof typeof formats;

const ENDINGS: Readonly<Record<string, Format>> = {
  tap: 'tap',
  xml: 'junit',
  json: 'json',
  html: 'html',
  svg: 'badge',
};

export const fileEndings = Object.keys(ENDINGS);

/** Undefined for an unknown extension. */
export const formatOf = (file: string): Format | undefined => ENDINGS[file.split('.').at(-1) ?? ''];

/** Average width of a character in px, and the space around a text. */
const CHARACTER = 6.6;
const SPACE = 12;

const GREEN = '#1a7f37';
const RED = '#cf222e';
const GRAY = '#6e7781';

/** Text and color of a badge: the kept rules among the judged ones. */
function verdictOf(report: SavedReport): { readonly text: string; readonly color: string } {
  if (exitCodeOf(report) === 2) return { text: 'not judged', color: GRAY };
  const { passed, failed, deviates, surprise } = countOutcomes(report.results);
  const text = `${passed + surprise} of ${passed + surprise + failed + deviates} rules`;
  return { text, color: failed > 0 ? RED : GREEN };
}

/** A badge as SVG: the runtime, and the number of kept rules among the judged ones. Red if a rule is broken. */
function toBadge(report: SavedReport): string {
  const label = report.runtime ? `CRI ${report.runtime.name}` : 'CRI';
  const { text, color } = verdictOf(report);
  const widthOf = (part: string) => Math.round(part.length * CHARACTER) + SPACE;
  const [left, right] = [widthOf(label), widthOf(text)];
  const write = (part: string, x: number) => `<text x="${x}" y="14">${escapeMarkup(part)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${escapeMarkup(`${label}: ${text}`)}">
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">${write(label, left / 2)}${write(text, left + right / 2)}</g>
</svg>
`;
}
