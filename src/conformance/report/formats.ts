import { toHtml } from './html.js';
import { toJunit } from './junit.js';
import type { SavedReport } from './saved.js';
import { toTap } from './tap.js';

/** What a finished report can be written as. */
export const formats = {
  tap: toTap,
  junit: toJunit,
  json: (report: SavedReport) => `${JSON.stringify(report, undefined, 2)}\n`,
  html: (report: SavedReport) => toHtml([report]),
} as const;

/** A kind of report that `--output` and `--write` know. */
export type Format = keyof typeof formats;

const ENDINGS: Readonly<Record<string, Format>> = { tap: 'tap', xml: 'junit', json: 'json', html: 'html' };

/** The endings of file names that tell a format. */
export const fileEndings = Object.keys(ENDINGS);

/** The format that a file's name asks for; undefined if it asks for none. */
export const formatOf = (file: string): Format | undefined => ENDINGS[file.split('.').at(-1) ?? ''];
