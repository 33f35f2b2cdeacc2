import { Command, Option } from 'commander';
import { kubeletVersions } from '../kubelet/config/profile.js';
import { unmet } from '../scenario/expectations.js';
import { loadScenario } from '../scenario/load.js';
import { createLineWriter, type OutputFormat, outputFormats } from '../scenario/output.js';
import { type SimulationOptions, simulate } from '../scenario/simulation.js';

interface Flags {
  readonly output: OutputFormat;
  readonly seed?: string;
  readonly kubeletVersion?: string;
}

/** What a simulation is made of besides its scenario. */
export type SimulateParts = Pick<SimulationOptions, 'backend' | 'codeOf'>;

/** `mockri simulate`: kubelet, runtime and clock in one process, from a scenario file. */
export function simulateCommand(parts: SimulateParts): Command {
  return new Command('simulate')
    .description('run a scenario on virtual time, and hold the outcome against its expectations')
    .argument('<file>', 'scenario file')
    .addOption(
      new Option('--output <format>', 'rows as kubectl prints them, rows as JSON lines, or Kubernetes events')
        .choices(outputFormats)
        .default('table'),
    )
    .option('--seed <seed>', "for everything random; the scenario's by default")
    .option('--kubelet-version <version>', `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`)
    .action(async (file: string, flags: Flags) => {
      process.exitCode = await runSimulation(file, flags, parts, (line) => process.stdout.write(`${line}\n`));
    });
}

/** Resolves with the exit code: 1 when an expectation is not met. */
export async function runSimulation(
  file: string,
  { output, seed, kubeletVersion }: Flags,
  parts: SimulateParts,
  print: (line: string) => void,
): Promise<number> {
  const scenario = await loadScenario(file);
  const writer = createLineWriter(output);
  const printIf = (line: string | undefined) => {
    if (line !== undefined) print(line);
  };
  for (const line of writer.header) print(line);
  const result = await simulate({
    ...parts,
    scenario,
    seed,
    kubeletVersion,
    onRow: (row) => printIf(writer.row(row)),
    onEvent: (event) => printIf(writer.event(event)),
  });
  const problems = unmet(scenario.expect, result);
  for (const problem of problems) process.stderr.write(`${file}: ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}
