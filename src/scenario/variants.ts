import { DEFAULT_KUBELET_VERSION } from '../kubelet/config/versions.js';
import type { Expected } from './expect-schema.js';
import type { LoadedScenario } from './loaded-scenario.js';

/** One run of a scenario: the scenario as it is for this kubelet, with all that is expected of it. */
export interface ScenarioRun {
  /** `kubelet 1.36`, or the name that the scenario gives it. */
  readonly name: string;
  readonly scenario: LoadedScenario;
}

/**
 * The runs of a scenario: one for each of its variants, or one if it has none. With `version`, those for that
 * kubelet; a version that no variant is for runs with what is expected of all.
 */
export function runsOf(scenario: LoadedScenario, version?: string): ScenarioRun[] {
  const variants = scenario.variants.map((variant) => {
    const kubelet = {
      ...scenario.kubelet,
      ...variant.kubelet,
      featureGates: { ...scenario.kubelet.featureGates, ...variant.kubelet.featureGates },
      config: { ...scenario.kubelet.config, ...variant.kubelet.config },
    };
    const expect = join(scenario.expect, variant.expect);
    return { name: variant.name, scenario: { ...scenario, kubelet, expect } };
  });
  const base = [{ name: undefined, scenario }];
  const all = variants.length === 0 ? base : variants;
  const chosen = version === undefined ? all : all.filter((run) => versionOf(run.scenario) === version);
  const runs = chosen.length > 0 ? chosen : base.map((run) => withVersion(run, version));
  return runs.map((run) => ({ ...run, name: run.name ?? `kubelet ${versionOf(run.scenario)}` }));
}

const versionOf = ({ kubelet }: LoadedScenario): string => kubelet.version ?? DEFAULT_KUBELET_VERSION;

const withVersion = <R extends { scenario: LoadedScenario }>(run: R, version: string | undefined): R => ({
  ...run,
  scenario: { ...run.scenario, kubelet: { ...run.scenario.kubelet, version } },
});

/** A variant's rows and states replace the scenario's of the same pod and of the node; the rest is added. */
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
