import { DEFAULT_KUBELET_VERSION } from '../../../kubelet/config/versions.js';
import type { Expected } from './expect-schema.js';
import type { LoadedScenario } from './loaded-scenario.js';

/** One run of a scenario: the scenario as it is for this kubelet, with all that is expected of it. */
export interface ScenarioRun {
  /** `kubelet 1.36`, or the name that the scenario gives it. */
  readonly name: string;
  readonly scenario: LoadedScenario;
  /** Index of the variant; undefined for the scenario's own kubelet. */
  readonly variant?: number;
}

/**
 * The runs of a scenario: one if it has no variants, else one for each of them, after one with its own kubelet if it names
 * a version that no variant names. With `version`, those for that kubelet; a version that none is for runs with what is
 * expected of all.
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

/** The kubelet's version of a run. */
export const versionOf = ({ kubelet }: LoadedScenario): string => kubelet.version ?? DEFAULT_KUBELET_VERSION;

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
