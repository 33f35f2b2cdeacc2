import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { bundledIn, bundledNamed } from '../../base/input/bundled.js';
import { InputError } from '../../base/input/yaml.js';
import { inColumns } from '../../base/markup/columns.js';
import { scenarioFiles } from '../../lab/scenario/file/scenario-files.js';
import { simulationParts } from '../../lab/scenario/simulation/simulation-parts.js';
import { addOptions, defineOptions } from '../options/define-options.js';
import { exitingOnSignals } from '../signals.js';
import { type Flags, options as ofSimulate } from './simulate/flags.js';
import { type Lines, type Report, withProgress } from './simulate/report.js';
import { runScenarios } from './simulate/run-scenarios.js';

const EXAMPLES = `
Examples:
  $ mockri suite --list
  $ mockri suite evented-pleg
  $ mockri suite evented-pleg --kubelet 1.37                  a real kubelet built for virtual time
  $ mockri suite stream-lists --kubelet ./kubelet --json
  $ mockri suite ./my-kep --kubelet-version 1.36,1.37         a directory of scenarios, one for each criterion

Exit code: 0 all criteria are met, 1 a criterion is not met (see stderr), 2 a file is invalid.
`;

const options = defineOptions({
  '--kubelet <program>': ofSimulate['--kubelet <program>'],
  '--kubelet-version <versions>': ofSimulate['--kubelet-version <versions>'],
  '--seed <seed>': ofSimulate['--seed <seed>'],
  '--budget <duration>': ofSimulate['--budget <duration>'],
  '--junit <file>': ofSimulate['--junit <file>'],
  '--json': { about: 'print one JSON object: suite, kubelet, criteria' },
  '--list': { about: 'list the bundled suites' },
});

/** `mockri suite` runs a directory of scenarios, each of which is a criterion of a KEP. */
export function suiteCommand(): Command {
  return addOptions(new Command('suite'), options)
    .description('test a kubelet against the criteria of a KEP')
    .argument('[suite]', 'a bundled suite, or a directory of scenarios')
    .addHelpText('after', EXAMPLES)
    .action(async (given: string | undefined, flags: Flags) => {
      const lines: Lines = {
        out: (line) => process.stdout.write(`${line}\n`),
        err: (line) => process.stderr.write(`${line}\n`),
      };
      if (flags.list) return [...bundled().keys()].forEach(lines.out);
      const files = suiteFiles(given);
      const parts = { ...simulationParts, report: criteriaReport(basename(given ?? '')) };
      process.exitCode = await exitingOnSignals(() => runScenarios(files, flags, parts, lines));
    });
}

const bundled = () => bundledIn('scenarios/suites');

/** Throws InputError for an unknown suite. */
export function suiteFiles(given: string | undefined): string[] {
  const names = [...bundled().keys()];
  if (given === undefined)
    throw new InputError([`specify a suite: ${names.join(', ')}, or a directory of scenarios`]);
  if (existsSync(given)) return scenarioFiles([given]);
  return scenarioFiles([
    bundledNamed(given, bundled(), { kind: 'suite', or: 'directory', command: 'suite' }),
  ]);
}

interface Criterion {
  readonly criterion: string;
  readonly why: string;
  readonly met: boolean;
  readonly scenario: string;
  readonly run: string;
  readonly seed: string;
  readonly problems: readonly string[];
}

/** A line for each criterion; stderr has what is not met. */
export const criteriaReport =
  (suite: string) =>
  (total: number, { json, seed, kubelet }: Flags, { out, err }: Lines): Report => {
    const criteria: Criterion[] = [];
    const add = ({ name: run, scenario }: Parameters<Report['end']>[0], problems: readonly string[]) =>
      criteria.push({
        criterion: scenario.title,
        why: scenario.why.trim(),
        met: problems.length === 0,
        scenario: basename(scenario.file),
        run,
        seed: seed ?? String(scenario.seed),
        problems,
      });
    return withProgress(total, err, {
      begin: () => ({}),
      end: (run, _, problems) => add(run, problems),
      withoutResult: (run, problem = 'not run: --budget is used up') => add(run, [problem]),
      compare: () => {},
      close: () => {
        const tested = kubelet === undefined ? 'simulated' : kubelet.join(',');
        if (json) return out(JSON.stringify({ suite, kubelet: tested, criteria }));
        const rows = criteria.map(({ criterion, met, scenario, run, seed: used }) => [
          met ? 'met' : 'NOT MET',
          criterion,
          scenario,
          run,
          used,
        ]);
        for (const line of inColumns([['RESULT', 'CRITERION', 'SCENARIO', 'RUN', 'SEED'], ...rows]))
          out(line);
        const count = criteria.filter(({ met }) => met).length;
        out(`${suite}: ${count} of ${criteria.length} criteria are met (kubelet: ${tested})`);
      },
    });
  };
