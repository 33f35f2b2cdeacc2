import { type Result, readExpected, readReport } from './report.js';

/**
 * compare.ts EXPECTED BENCHMARK ROUND...: compares critest's JSON reports (ginkgo's types.Report) with the expected
 * list; `-` means no benchmark. Prints totals. Exits with 1 if an unlisted spec did not pass, if a listed one did, or
 * if two rounds differ. Specs listed as failing "now and then" can pass. A [Conformance] spec can only be listed for
 * lack of an image, or of figures in Docker's API.
 */

function judge(results: readonly Result[], expected: ReadonlyMap<string, string>): readonly string[] {
  const firstLine = (message: string) => message.trim().split('\n')[0] ?? '';
  return results.flatMap(({ name, state, message }) => {
    const reason = expected.get(name);
    const said = `${state}: ${name}: ${firstLine(message)}`;
    if (reason?.startsWith('depends on the host')) {
      const isDone = state !== 'failed' || message.includes('operation not permitted');
      return isDone ? [] : [said];
    }
    if (reason?.startsWith('now and then')) return state === 'skipped' ? [said] : [];
    if (state === 'passed') return reason === undefined ? [] : [`passes, but is listed (${reason}): ${name}`];
    return reason === undefined ? [said] : [];
  });
}

const [expectedPath = '', benchmarkPath = '', ...rounds] = process.argv.slice(2);
const expected = readExpected(expectedPath);
const reports = rounds.map(readReport);
const [first = []] = reports;
const outcome = (results: readonly Result[]) =>
  results
    .map(({ name, state }) => `${state} ${name}`)
    .sort()
    .join('\n');
const count = (results: readonly Result[], state: Result['state']) =>
  results.filter((result) => result.state === state).length;
const withBenchmarks = benchmarkPath !== '-';
const benchmarks = withBenchmarks ? readReport(benchmarkPath) : [];
const conformance = first.filter(({ name }) => name.includes('[Conformance]'));

const problems = [
  ...new Set(reports.flatMap((results) => judge(results, expected))),
  ...[...expected]
    .filter(
      ([name, reason]) =>
        name.includes('[Conformance]') && !/^(stand-in image|not in Docker's API):/.test(reason),
    )
    .map(([name]) => `listed, but every [Conformance] spec must pass: ${name}`),
  ...reports
    .map((results, index) => ({ results, index }))
    .filter(({ results }) => outcome(results) !== outcome(first))
    .map(({ index }) => `round ${index + 1} had other results than round 1`),
  ...judge(benchmarks, new Map()),
  ...(withBenchmarks && benchmarks.length < 5 ? [`${benchmarks.length} benchmarks ran, not 5`] : []),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);

const lacking = `${count(first, 'skipped')} skipped and ${count(first, 'failed')} failed${problems.length === 0 ? ' as listed' : ''}`;
process.stdout.write(
  [
    `${count(first, 'passed')} of ${first.length} specs pass`,
    `${count(conformance, 'passed')} of ${conformance.length} [Conformance]`,
    lacking,
    ...(withBenchmarks ? [`${count(benchmarks, 'passed')} of ${benchmarks.length} benchmarks`] : []),
    ...(rounds.length > 1 ? [`${rounds.length} rounds`] : []),
  ].join(', '),
);
process.stdout.write('\n');
process.exitCode = problems.length === 0 ? 0 : 1;
