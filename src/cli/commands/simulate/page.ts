import { InputError } from '../../../base/input/yaml.js';
import type { Comparison } from '../../../lab/scenario/compare/comparison.js';
import { columnName } from '../../../lab/scenario/compare/comparison-text.js';
import { explanationsOf } from '../../../lab/scenario/explain/explain.js';
import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import type { Simulation } from '../../../lab/scenario/run/run.js';
import { type Collected, collectTape } from '../../../tape/collect.js';
import type { About } from '../../../tape/header.js';
import type { Redaction } from '../../../tape/keep.js';
import type { Tape } from '../../../tape/tape.js';
import { fillPage, loadPage } from '../../../tape/viewer/document.js';
import { refuseTerminal } from '../../output/page-output.js';

export interface SimulationPage {
  begin(name: string, tape: Tape, about: About): void;
  end(result: Simulation, problems: readonly string[]): void;
  /** Shows these lines, and the timeline of the first run of each column. */
  compare(columns: readonly (readonly number[])[], lines: readonly string[], comparison: Comparison): void;
  text(): string;
}

/** Throws InputError for several scenarios, UserError if the page can't be created or shown. */
export function createSimulationPage(
  scenarios: readonly LoadedScenario[],
  keep: readonly Redaction[] | undefined,
): SimulationPage {
  const [scenario, ...more] = scenarios;
  if (scenario === undefined || more.length > 0)
    throw new InputError([`--output html shows one scenario; ${scenarios.length} are given`]);
  refuseTerminal();
  const page = loadPage();
  let tapes: { readonly name: string; readonly collected: Collected }[] = [];
  let runs: { findings: { t: number; text: string }[]; problems: readonly string[] }[] = [];
  let comparison: readonly string[] = [];
  return {
    begin: (name, tape, about) => {
      tapes.push({ name, collected: collectTape(tape, about, keep) });
    },
    end: (result, problems) => {
      runs.push({ findings: explanationsOf(result), problems });
    },
    compare: (columns, lines, compared) => {
      const shown = columns.map(([first = 0]) => first);
      tapes = shown.flatMap((at, column) => {
        const tape = tapes[at];
        return tape === undefined ? [] : [{ ...tape, name: columnName(compared.columns[column] ?? []) }];
      });
      runs = shown.flatMap((at) => runs[at] ?? []);
      comparison = lines;
    },
    text: () => {
      const { title, see, why, fix } = scenario;
      const story = { title, ...(see && { see }), ...(why && { why }), ...(fix && { fix }) };
      const side = comparison.length > 0 && { comparison };
      const embedded = tapes.map(({ name, collected }) => ({ name, bytes: Buffer.from(collected.text()) }));
      return fillPage(page, { about: { ...story, ...side, runs }, tapes: embedded });
    },
  };
}
