import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import { runsOf, type ScenarioRun, versionOf } from '../../../lab/scenario/file/variants.js';
import { variedScenarios } from '../../../lab/scenario/vary/vary.js';
import type { Flags } from './flags.js';

export interface ChosenRun extends ScenarioRun {
  readonly column: string;
}

/**
 * Runs of a scenario for each value of the varied fields, each requested kubelet and runtime, or the scenario's own. A
 * kubelet program supports only its own design of the evented PLEG.
 */
export async function chosenRuns(scenario: LoadedScenario, flags: Flags): Promise<ChosenRun[]> {
  if (flags.vary === undefined) return runsWithEach(scenario, flags);
  const varied = await variedScenarios(scenario, flags.vary);
  const isOne = runsWithEach(scenario, flags).length === 1;
  return varied.flatMap(({ name, scenario: each }) =>
    runsWithEach(each, flags).map((run) => ({
      ...run,
      name: `${run.name}, ${name}`,
      column: isOne ? name : `${run.column} ${name}`,
    })),
  );
}

function runsWithEach(
  scenario: LoadedScenario,
  { kubelet, kubeletVersion, runtimeProfile }: Flags,
): ChosenRun[] {
  const versions = kubeletVersion ?? [undefined];
  const all = versions.flatMap((version) => runsOf(scenario, version));
  const runs = all.filter((run) => kubelet === undefined || run.scenario.kubelet.evented === undefined);
  const profiles = runtimeProfile ?? [undefined];
  return runs.flatMap((run) =>
    profiles.map((runtime) => {
      const column = [
        ...(versions.length > 1 || profiles.length < 2 ? [versionOf(run.scenario)] : []),
        ...(profiles.length > 1 && runtime !== undefined ? [runtime] : []),
      ].join(' ');
      const name = profiles.length > 1 ? `${run.name}, ${runtime}` : run.name;
      return {
        ...run,
        name,
        column,
        scenario: runtime === undefined ? run.scenario : { ...run.scenario, runtime },
      };
    }),
  );
}

export const isComparable = ({ kubeletVersion = [], runtimeProfile = [], vary }: Flags): boolean =>
  vary !== undefined || runtimeProfile.length > 1 || kubeletVersion.length > 1;

/** Whether to compare them in one table; other output formats have none. */
export const isCompared = (flags: Flags): boolean =>
  (flags.output ?? 'table') === 'table' && !flags.explain && isComparable(flags);
