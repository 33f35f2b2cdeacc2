import { createRealClock } from '../../../base/clock/real-clock.js';
import { wrapTimed } from '../../../base/input/wrap.js';
import type { Comparison } from '../../../lab/scenario/compare/comparison.js';
import { comparisonLines } from '../../../lab/scenario/compare/comparison-text.js';
import { matrixLines, type PairResult } from '../../../lab/scenario/compare/matrix.js';
import { explain } from '../../../lab/scenario/explain/explain.js';
import { storyLines } from '../../../lab/scenario/explain/story.js';
import { assumptionLines } from '../../../lab/scenario/file/assumptions.js';
import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import { podNames } from '../../../lab/scenario/file/pods.js';
import type { ScenarioRun } from '../../../lab/scenario/file/variants.js';
import { createLineWriter } from '../../../lab/scenario/output/formats.js';
import { exitText } from '../../../lab/scenario/run/exit-text.js';
import type { Simulation } from '../../../lab/scenario/run/run.js';
import type { RunReaderOptions } from '../../../lab/scenario/run/run-reader.js';
import { createProgressLine } from '../../terminal/progress-line.js';
import { isCompared } from './chosen-runs.js';
import type { Flags } from './flags.js';

export interface Lines {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Width of explanations without a terminal, and the minimum width for wrapping. */
const WIDTH = 120;
const LEAST_WIDTH = 40;

export interface Report {
  begin(run: ScenarioRun): Pick<RunReaderOptions, 'onRow' | 'onEvent'>;
  end(run: ScenarioRun, result: Simulation, problems: readonly string[]): void;
  /** Instead of `end` for a run that crashed; or did not begin, then without a problem. */
  withoutResult(run: ScenarioRun, problem?: string): void;
  /** `pairs` is empty unless a matrix is requested. */
  compare(scenario: LoadedScenario, comparison: Comparison, pairs: readonly PairResult[]): void;
  close(failed: number): void;
}

/**
 * Reports runs as they proceed: in full, or one line each for several runs unless output or explanations were
 * requested.
 */
export function createReport(total: number, flags: Flags, lines: Lines): Report {
  const inFull = flags.output !== undefined || total === 1 || flags.explain === true;
  const kind = isCompared(flags)
    ? comparisonReport(lines.out, flags)
    : flags.json
      ? jsonReport(lines.out)
      : inFull
        ? fullReport(total, flags, lines)
        : summary(total, lines.out);
  const showsThere = flags.output === undefined || flags.output === 'table';
  const assumed = inFull && showsThere && !flags.json ? lines.out : lines.err;
  const showsExits = flags.json || flags.explain || flags.output === 'timeline';
  const whole = showsExits ? kind : withExits(lines.err, kind);
  return withAssumptions(flags.json ? () => {} : assumed, withProgress(total, lines.err, whole));
}

/** Adds after each run why the kubelet exited, which neither rows nor events show. */
const withExits = (print: Lines['err'], report: Report): Report => ({
  ...report,
  end: (run, result, problems) => {
    report.end(run, result, problems);
    const [first, ...more] = result.kubelets.filter(({ what }) => what === 'exited');
    if (first === undefined) return;
    const times = more.length === 0 ? '' : `${more.length + 1} times, first `;
    print(`${run.scenario.file}, ${run.name}: ${exitText(first, `${times}at ${first.t} s`)}`);
  },
});

function withAssumptions(print: Lines['out'], report: Report): Report {
  let shown: LoadedScenario['assumed'];
  return {
    ...report,
    begin: (run) => {
      const { assumed } = run.scenario;
      const told = assumed === undefined || assumed === shown ? [] : assumptionLines(assumed);
      if (told.length > 0) [...told, ''].forEach(print);
      shown = assumed;
      return report.begin(run);
    },
  };
}

/** A report of single runs compares none. */
const single = { withoutResult: () => {}, compare: () => {} };

const comparisonReport = (out: Lines['out'], flags: Flags): Report => ({
  begin: () => ({}),
  end: () => {},
  withoutResult: () => {},
  compare: ({ file, title, assumed }, comparison, pairs) => {
    if (flags.json) return out(JSON.stringify({ file, title, ...assumed, ...comparison, pairs }));
    const lines = pairs.length > 0 ? matrixText(pairs, flags) : comparisonLines(comparison);
    for (const line of [`${file}: ${title}`, ...lines]) out(line);
  },
  close: () => {},
});

export function matrixText(pairs: readonly PairResult[], { upgrade }: Flags): string[] {
  const [head, legend] = upgrade === undefined ? PAIRS : UPGRADES;
  return matrixLines(pairs, head, legend);
}

const PAIRS = [
  'KUBELET',
  'Each pair is compared with the kubelet above; in the first row, with the first runtime.',
] as const;
const UPGRADES = [
  'UPGRADE',
  'Compared with the old kubelet, which runs on; same: no container restarts, and no pod becomes unready.',
] as const;

const jsonReport = (out: Lines['out']): Report => ({
  ...single,
  begin: () => ({}),
  end: ({ name, scenario }, result, problems) => out(jsonOf(name, scenario, result, problems)),
  close: () => {},
});

/**
 * The output of each run, with explanations if requested. A run's heading comes with its first line, so a run that
 * fails to start has none. JSON output contains nothing but JSON.
 */
function fullReport(
  total: number,
  { output = 'table', explain: explains = false }: Flags,
  { out, err }: Lines,
): Report {
  const isJson = output === 'json';
  const say = isJson ? err : out;
  const width = Math.max(LEAST_WIDTH, process.stdout.columns ?? WIDTH);
  let writer = createLineWriter(output);
  const print = (line: string | undefined) => line !== undefined && out(line);
  let explained: string | undefined;
  let begin = () => {};
  return {
    ...single,
    begin: ({ name, scenario: { file, title }, scenario }) => {
      begin = () => {
        begin = () => {};
        writer = createLineWriter(output, { names: podNames(scenario), width: process.stdout.columns });
        if (explains && explained !== file) storyLines(scenario, width).forEach(say);
        explained = file;
        if (total > 1) say(explains ? `${file}, ${name}` : `${file}: ${title}, ${name}`);
        writer.header.forEach(print);
      };
      const printed = (line: () => string | undefined) => {
        begin();
        print(line());
      };
      const of = isJson && total > 1 ? { file, run: name } : {};
      return {
        onRow: (row) => printed(() => writer.row({ ...of, ...row })),
        onEvent: (event) => printed(() => writer.event(event)),
      };
    },
    end: (_, result) => {
      begin();
      writer.whole(result).forEach(print);
      if (explains) for (const line of ['', ...explain(result), '']) say(wrapTimed(line, width));
    },
    close: (failed) => closeRuns(total, failed, say),
  };
}

function summary(total: number, out: Lines['out']): Report {
  const clock = createRealClock();
  let begun = 0;
  return {
    ...single,
    begin: () => {
      begun = clock.elapsed();
      return {};
    },
    end: ({ name, scenario }, _, problems) => {
      const seconds = ((clock.elapsed() - begun) / 1000).toFixed(1);
      out(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${scenario.file}  ${name}  ${seconds}s`);
    },
    close: (failed) => closeRuns(total, failed, out),
  };
}

function closeRuns(total: number, failed: number, out: Lines['out']): void {
  if (total > 1) out(`${total} runs, ${failed} failed`);
}

export function withProgress(total: number, err: Lines['err'], report: Report): Report {
  let finished = 0;
  const progress = createProgressLine(process.stderr, createRealClock());
  return {
    ...report,
    begin: (run) => {
      if (total > 1) progress.show(`[${finished + 1}/${total}] ${run.scenario.file}, ${run.name}`);
      return report.begin(run);
    },
    end: (run, result, problems) => {
      finished++;
      if (total > 1) progress.clear();
      report.end(run, result, problems);
      for (const problem of problems) err(`${run.scenario.file}, ${run.name}: ${problem}`);
    },
    withoutResult: (run, problem) => {
      finished++;
      if (total > 1) progress.clear();
      report.withoutResult(run, problem);
      if (problem !== undefined) err(`${run.scenario.file}, ${run.name}: ${problem}`);
    },
  };
}

function jsonOf(
  run: string,
  { file, title, assumed }: LoadedScenario,
  result: Simulation,
  problems: readonly string[],
): string {
  const { rows, events, nodes, faults, steps, log, outputs, calls } = result;
  const happened = { rows, events, nodes, faults, steps, log, outputs, calls, explanation: explain(result) };
  return JSON.stringify({
    file,
    title,
    run,
    passed: problems.length === 0,
    problems,
    ...assumed,
    ...happened,
  });
}
