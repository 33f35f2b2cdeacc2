import { csi } from '../../../base/markup/terminal.js';
import type { Check } from '../check.js';
import { type Group, groups } from '../rules.js';
import { countOutcomes, describeCounts } from './counts.js';
import { describeFailure } from './failure-text.js';
import { countSeverities, noteOf, worstFirst } from './notes.js';
import type { SavedOutcome, SavedReport, SavedResult } from './saved.js';

export interface Screen {
  write(text: string): void;
  readonly columns?: number | undefined;
}

export interface TreeOptions {
  readonly color: boolean;
  /** Shows the progress of the checks on a line below, which `clear` removes. */
  readonly progress: { readonly show: (text: string) => void; readonly clear: () => void };
}

export interface Tree {
  start(title: string, checks: readonly Check[]): void;
  begin(check: Check): void;
  result(result: SavedResult): void;
  end(report: SavedReport): void;
}

const MARKS: Readonly<Record<SavedOutcome, readonly [mark: string, color: number]>> = {
  passed: ['✓', 32],
  failed: ['✗', 31],
  deviates: ['~', 33],
  surprise: ['!', 35],
  skipped: ['-', 90],
};

const BAR = 24;

/** Prints each group once all of its checks have ended. */
export function createTree(screen: Screen, { color, progress }: TreeOptions): Tree {
  const paint = (text: string, code: number) => (color ? `${csi(`${code}m`)}${text}${csi('39m')}` : text);
  const bold = (text: string) => (color ? `${csi('1m')}${text}${csi('22m')}` : text);
  const missing = new Map<Group, number>();
  const done: SavedResult[] = [];
  const running = new Set<string>();
  let total = 0;

  const showProgress = () => {
    const filled = Math.round((done.length / Math.max(1, total)) * BAR);
    const { failed } = countOutcomes(done);
    const text = ` ${'━'.repeat(filled)}${'┄'.repeat(BAR - filled)} ${done.length}/${total}  ${failed} failed  ${[...running].join(' ')}`;
    progress.show(text.slice(0, (screen.columns ?? 80) - 1));
  };

  const line = (result: SavedResult): string => {
    const [mark, code] = MARKS[result.outcome];
    const note = noteOf(result);
    const text = `  ${paint(mark, code)} ${result.id.padEnd(24)} ${result.rule}`;
    return note === undefined ? text : `${text}\n${' '.repeat(29)}${paint(note, code)}`;
  };

  const groupLines = (group: Group): string[] => {
    const results = done.filter((result) => result.group === group);
    return [bold(group), ...results.sort((a, b) => (a.id < b.id ? -1 : 1)).map(line)];
  };

  return {
    start: (title, checks) => {
      total = checks.length;
      for (const { group } of checks) missing.set(group, (missing.get(group) ?? 0) + 1);
      screen.write(`${bold(title)}\n`);
      showProgress();
    },
    begin: ({ id }) => {
      running.add(id);
      showProgress();
    },
    result: (result) => {
      running.delete(result.id);
      done.push(result);
      const left = (missing.get(result.group) ?? 0) - 1;
      missing.set(result.group, left);
      if (left === 0) {
        progress.clear();
        screen.write(`${groupLines(result.group).join('\n')}\n`);
      }
      showProgress();
    },
    end: (report) => {
      progress.clear();
      for (const group of groups) {
        if ((missing.get(group) ?? 0) > 0) screen.write(`${groupLines(group).join('\n')}\n`);
      }
      for (const [index, result] of worstFirst(report.results).entries())
        screen.write(
          `\n${paint(bold(`${index + 1}) ${result.id}`), 31)}\n${indent(describeFailure(result))}\n`,
        );
      const bySeverity = countSeverities(report.results);
      screen.write(
        `\n${bold(describeCounts(countOutcomes(report.results)))}${bySeverity === '' ? '' : ` (${bySeverity})`} in ${(report.duration / 1000).toFixed(1)} s\n`,
      );
      for (const thing of report.left) screen.write(`left over: ${thing}\n`);
      if (report.interrupted)
        screen.write(`interrupted: ${total - report.results.length} checks did not run\n`);
    },
  };
}

const indent = (text: string): string => text.replaceAll(/^/gm, '   ');
