import { toBadge } from './badge.js';
import { toHtml } from './html.js';
import { toJunit } from './junit.js';
import type { SavedReport } from './saved.js';
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
