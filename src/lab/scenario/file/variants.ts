import { DEFAULT_KUBELET_VERSION } from '../../../kubelet/config/versions.js';
import type { Expected } from './expect-schema.js';
import type { LoadedScenario } from './loaded-scenario.js';

export interface ScenarioRun {
  readonly name: string;
  readonly scenario: LoadedScenario;
  /** Undefined for the scenario's own kubelet. */
  readonly variant?: number;
}

/**
 * Runs of a scenario: one without variants; otherwise one per variant, preceded by one with the scenario's own kubelet
 * if no variant has its version. `version` selects the runs for that kubelet; a version without a run gets the common
 * expectations.
 */
export function runsOf(scenario: LoadedScenario, version?: string): ScenarioRun[] {
  const variants = scenario.variants.map(({ name, kubelet: own, expect: more }, variant) => {
    const kubelet = {
      ...scenario.kubelet,
      ...own,
      featureGates: { ...scenario.kubelet.featureGates, ...own.featureGates },
      config: { ...scenario.kubelet.config, ...own.config },
    };
    return { name, scenario: { ...scenario, kubelet, expect: join(scenario.expect, more) }, variant };
  });
  const base = { name: undefined, scenario };
  const all = hasOwnRun(scenario) ? [base, ...variants] : variants;
  const chosen = version === undefined ? all : all.filter((run) => versionOf(run.scenario) === version);
  const runs = chosen.length > 0 ? chosen : [withVersion(base, version)];
  return runs.map((run) => ({ ...run, name: run.name ?? `kubelet ${versionOf(run.scenario)}` }));
}

const hasOwnRun = ({ kubelet: { version }, variants }: LoadedScenario): boolean =>
  variants.length === 0 ||
  (version !== undefined && variants.every((variant) => variant.kubelet.version !== version));

export const versionOf = ({ kubelet }: LoadedScenario): string => kubelet.version ?? DEFAULT_KUBELET_VERSION;

const withVersion = <R extends { scenario: LoadedScenario }>(run: R, version: string | undefined): R => ({
  ...run,
  scenario: { ...run.scenario, kubelet: { ...run.scenario.kubelet, version } },
});

/** Replaces rows and node states of the same pod and of the node; adds everything else. */
function join(base: Expected, own: Expected): Expected {
  return {
    rows: replaceRows(base.rows, own.rows),
    rowsInclude: replaceRows(base.rowsInclude, own.rowsInclude),
    lastRow: replaceRows(base.lastRow, own.lastRow),
    nodes: own.nodes.length > 0 ? own.nodes : base.nodes,
    events: [...base.events, ...own.events],
    log: [...base.log, ...own.log],
    calls: [...base.calls, ...own.calls],
    metrics: [...base.metrics, ...own.metrics],
    running: [...base.running, ...own.running],
    gone: [...base.gone, ...own.gone],
    rules: [...base.rules, ...own.rules],
  };
}

function replaceRows(base: Expected['rows'], own: Expected['rows']): Expected['rows'] {
  const pods = new Set(own.map(({ pod }) => pod));
  return [...base.filter(({ pod }) => !pods.has(pod)), ...own];
}
