import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { formatDuration } from '../../../base/input/duration.js';
import { inOrder } from '../../../base/input/in-order.js';
import { didYouMean } from '../../../base/input/suggest.js';
import { thereAre } from '../../../base/input/wording.js';
import { type InputProblem, openYaml } from '../../../base/input/yaml.js';
import { kubeletSettings } from '../../../kubelet/hosts/settings.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { parseBehavior } from '../../../linux/behavior/parse-behavior.js';
import { FaultRegistry } from '../../../runtime/faults/matching/registry.js';
import { podText } from '../../../tape/pod-text.js';
import { checkManifestAnnotations } from './check-annotations.js';
import type { Expected, Window } from './expect-schema.js';
import type { LoadedPod, LoadedScenario } from './loaded-scenario.js';
import { attempt, type Note, noContainer, type Path } from './mistakes.js';
import { findPod, readPods } from './pods.js';
import { runsOf } from './variants.js';

type ProblemAt = (path: Path, message: string) => InputProblem;

interface KnownPod {
  readonly pod: Pod;
  readonly at: number;
}

/**
 * Finds mistakes beyond the schema: unknown names, times that no run reaches, and behaviors, kubelet settings and
 * faults that would fail during a run. In line order.
 */
export function checkScenario(scenario: LoadedScenario, problem: ProblemAt): InputProblem[] {
  const pods: KnownPod[] = [];
  const problems: InputProblem[] = [];
  const note = (path: Path, message: string) => void problems.push(problem(path, message));

  const add = (source: LoadedPod, path: Path, at: number) => {
    const read = readPods(scenario, source);
    pods.push(...read.map((pod) => ({ pod, at })));
    checkBehaviors(source, read, [...path, 'behaviors'], note);
    if (source.file === undefined) checkManifestAnnotations(source.manifest, [...path, 'manifest'], note);
    else problems.push(...fileProblems(scenario.manifests.get(source.file) ?? '', source.file));
  };
  for (const [index, source] of scenario.pods.entries()) add(source, ['pods', index], 0);
  for (const [index, { at, do: action }] of scenario.timeline.entries())
    if (action.addPod !== undefined) add(action.addPod, ['timeline', index, 'do', 'addPod'], at);

  checkTimes(scenario, note);
  checkTimeline(scenario, pods, note);
  checkKubelets(scenario, note);
  checkExpected(scenario.expect, pods, ['expect'], note);
  for (const [index, { expect }] of scenario.variants.entries())
    checkExpected(expect, pods, ['variants', index, 'expect'], note);
  return inOrder(problems);
}

function fileProblems(text: string, file: string): InputProblem[] {
  const problems: InputProblem[] = [];
  const { written, problem } = openYaml(text, file);
  checkManifestAnnotations(written, [], (path, message) => void problems.push(problem(path, message)));
  return problems;
}

function checkBehaviors({ behaviors }: LoadedPod, pods: readonly Pod[], path: Path, note: Note): void {
  const names = pods.flatMap(containersOf);
  for (const [container, behavior] of Object.entries(behaviors)) {
    if (!names.includes(container)) note([...path, container], noContainer(container, names));
    attempt([...path, container], note, () => void parseBehavior(behavior, 'behavior'));
  }
}

function checkTimeline(
  { faults, timeline, file }: LoadedScenario,
  pods: readonly KnownPod[],
  note: Note,
): void {
  const conditions = () => ({ runtime: true, network: true });
  const rules = new FaultRegistry({ clock: createVirtualClock(), seed: 0, conditions });
  attempt(['faults'], note, () => void rules.add(faults, file));
  const steps = [...timeline.entries()].sort(([, a], [, b]) => a.at - b.at);
  for (const [index, { at, do: action }] of steps) {
    const { removePod, exitContainer, addFault, removeFault } = action;
    const path = ['timeline', index, 'do'];
    const present = pods.filter((each) => each.at <= at).map(({ pod }) => pod);
    if (removePod !== undefined) checkPod(removePod, present, [...path, 'removePod'], note);
    if (exitContainer !== undefined) checkContainer(exitContainer, present, [...path, 'exitContainer'], note);
    if (addFault !== undefined)
      attempt([...path, 'addFault', 'name'], note, () => void rules.add(addFault, 'timeline'));
    if (removeFault !== undefined) attempt([...path, 'removeFault'], note, () => rules.remove(removeFault));
  }
  rules.reset();
}

/** The version of each run determines the valid feature gates. */
function checkKubelets(scenario: LoadedScenario, note: Note): void {
  const { kubelet, ownKubelet } = scenario;
  for (const { scenario: run, variant } of runsOf(scenario)) {
    const { version, featureGates, config } = run.kubelet;
    const own = variant === undefined ? ['kubelet'] : ['variants', variant, 'kubelet'];
    const placeOf = (field: 'featureGates' | 'config', name: string) => [
      ...(name in kubelet[field] ? ['kubelet'] : own),
      field,
      name,
    ];
    const gates = Object.entries(featureGates).filter(([gate, on]) =>
      attempt(placeOf('featureGates', gate), note, () =>
        kubeletSettings({ version, gates: { [gate]: on }, ownKubelet }),
      ),
    );
    // Messages of settings name the field themselves.
    const short = /^settings: [^ ]+: /;
    for (const [field, value] of Object.entries(config))
      attempt(
        placeOf('config', field),
        (path, message) => note(path, message.replace(short, '')),
        () =>
          kubeletSettings({
            version,
            ownKubelet,
            gates: Object.fromEntries(gates),
            config: { fields: { [field]: value }, file: 'settings' },
          }),
      );
  }
  for (const [index, { do: action }] of scenario.timeline.entries())
    if (typeof action.kubelet === 'object') {
      const { version } = action.kubelet;
      const config = { fields: kubelet.config, file: scenario.file };
      attempt(['timeline', index, 'do', 'kubelet', 'version'], note, () =>
        kubeletSettings({ version, gates: kubelet.featureGates, config, ownKubelet }),
      );
    }
}

function checkExpected(expect: Expected, known: readonly KnownPod[], path: Path, note: Note): void {
  const pods = known.map(({ pod }) => pod);
  for (const list of ['rows', 'rowsInclude', 'lastRow', 'events', 'gone'] as const)
    for (const [index, { pod }] of expect[list].entries())
      if (pod !== undefined) checkPod(pod, pods, [...path, list, index, 'pod'], note);
  for (const [index, each] of expect.running.entries())
    checkContainer(each, pods, [...path, 'running', index], note);
}

function checkPod(name: string, pods: readonly Pod[], path: Path, note: Note): void {
  if (findPod(pods, name) !== undefined) return;
  const names = pods.map(({ metadata }) => podText(metadata));
  const hint = didYouMean(name, names) || `; ${thereAre(names)}`;
  note(path, `unknown pod ${JSON.stringify(name)}${hint}`);
}

function checkContainer(
  { pod, container }: { readonly pod: string; readonly container: string },
  pods: readonly Pod[],
  path: Path,
  note: Note,
): void {
  checkPod(pod, pods, [...path, 'pod'], note);
  const found = findPod(pods, pod);
  const names = found === undefined ? [] : containersOf(found);
  if (found !== undefined && !names.includes(container))
    note([...path, 'container'], noContainer(container, names));
}

const containersOf = ({ spec }: Pod): string[] =>
  [...spec.initContainers, ...spec.containers].map(({ name }) => name);

function checkTimes({ timeline, expect, variants, until }: LoadedScenario, note: Note): void {
  const reached = (time: number | undefined, path: Path) => {
    if (time !== undefined && time > until)
      note(path, `${formatDuration(time)} is after the end of the run; "until" is ${formatDuration(until)}`);
  };
  for (const [index, { at }] of timeline.entries()) reached(at, ['timeline', index, 'at']);
  checkExpectedTimes(expect, ['expect'], reached);
  for (const [index, variant] of variants.entries())
    checkExpectedTimes(variant.expect, ['variants', index, 'expect'], reached);
}

function checkExpectedTimes(
  expect: Expected,
  path: Path,
  reached: (time: number | undefined, path: Path) => void,
): void {
  for (const [index, { from }] of expect.rules.entries()) reached(from, [...path, 'rules', index, 'from']);
  for (const [index, { at }] of expect.metrics.entries()) reached(at, [...path, 'metrics', index, 'at']);
  for (const list of ['rows', 'rowsInclude', 'lastRow', 'events', 'nodes', 'log', 'calls', 'gone'] as const)
    for (const [index, each] of expect[list].entries()) {
      const { within }: { readonly within?: Window } = each;
      reached(within?.[0], [...path, list, index, 'within']);
    }
}
