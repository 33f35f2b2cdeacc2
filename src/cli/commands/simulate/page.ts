import { InputError } from '../../../input/yaml.js';
import { explanationsOf } from '../../../scenario/explain/explain.js';
import type { LoadedScenario } from '../../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../../scenario/run/run.js';
import { type Collected, collectTape } from '../../../tape/collect.js';
import type { About } from '../../../tape/header.js';
import type { Redaction } from '../../../tape/keep.js';
import type { Tape } from '../../../tape/tape.js';
import { fillPage, loadPage } from '../../../viewer/document.js';
import { refuseTerminal } from '../../output/page-output.js';

/** The timeline of the runs of one scenario, one below the other. */
export interface SimulationPage {
  begin(name: string, tape: Tape, about: About): void;
  end(result: Simulation, problems: readonly string[]): void;
  /** The page, after the last run. */
  text(): string;
}

/** A page without runs. Throws InputError for several scenarios, UserError where it can't be made or shown. */
export function createSimulationPage(
  scenarios: readonly LoadedScenario[],
  keep: readonly Redaction[] | undefined,
): SimulationPage {
  const [scenario, ...more] = scenarios;
  if (scenario === undefined || more.length > 0)
    throw new InputError([`--output html shows one scenario; ${scenarios.length} are given`]);
  refuseTerminal();
  const page = loadPage();
  const tapes: { readonly name: string; readonly collected: Collected }[] = [];
  const runs: { findings: { t: number; text: string }[]; problems: readonly string[] }[] = [];
  return {
    begin: (name, tape, about) => {
      tapes.push({ name, collected: collectTape(tape, about, keep) });
    },
    end: (result, problems) => {
      runs.push({ findings: explanationsOf(result), problems });
    },
    text: () => {
      const { title, see, why, fix } = scenario;
      const story = { title, ...(see && { see }), ...(why && { why }), ...(fix && { fix }) };
      const embedded = tapes.map(({ name, collected }) => ({ name, bytes: Buffer.from(collected.text()) }));
      return fillPage(page, { about: { ...story, runs }, tapes: embedded });
    },
  };
}
