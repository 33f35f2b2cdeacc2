import { counted } from '../../../base/input/counted.js';
import { formatDuration } from '../../../base/input/duration.js';
import { describeRule } from '../../../runtime/faults/language/describe-rule.js';
import type { Simulation } from '../../scenario/run/run.js';
import type { Perturbation } from '../catalog/perturbation.js';
import type { Explored } from '../explore.js';

/** Maximum number of lines per part, around the end of the perturbations. */
const MOST_LINES = 12;

export function explainFinding(
  { finding, kind }: Explored,
  run: Simulation | undefined,
  replay: string,
): string {
  const perturbed = finding.schedule.map(({ text, rules, steps }) =>
    [
      `  ${text}`,
      ...rules.map((rule) => `    rule: ${describeRule(rule)}`),
      ...steps.map(({ at, kubelet }) => `    step: kubelet ${stepText(kubelet)} at ${formatDuration(at)}`),
    ].join('\n'),
  );
  const parts = [
    finding.message,
    '',
    `Kind, for --known: ${kind}`,
    '',
    'Faults:',
    ...(perturbed.length > 0 ? perturbed : ['  none: the scenario itself breaks the rule']),
    ...(run === undefined ? [] : [...believed(run), ...truth(run)]),
    '',
    'Replay:',
    `  ${replay}`,
  ];
  return `${parts.join('\n')}\n`;
}

const stepText = (kubelet: Perturbation['steps'][number]['kubelet']): string =>
  typeof kubelet === 'string' ? kubelet : `replaced by version ${kubelet.version}`;

function believed({ rows, log }: Simulation): string[] {
  return [
    '',
    'What kubectl showed:',
    ...shortened(
      rows.map(({ t, pod, ready, status, restarts }) => `${at(t)}  ${pod}  ${ready}  ${status}  ${restarts}`),
    ),
    ...(log.length > 0
      ? ['', 'What the kubelet logged:', ...shortened(log.map(({ t, text }) => `${at(t)}  ${text}`))]
      : []),
  ];
}

function truth({ containerEvents, left }: Simulation): string[] {
  return [
    '',
    'What the containers did:',
    ...shortened(
      containerEvents.map(({ t, pod, container, attempt, what, exitCode }) => {
        const code = exitCode === undefined ? '' : ` with ${exitCode}`;
        return `${at(t)}  ${pod}/${container} attempt ${attempt} ${what}${code}`;
      }),
    ),
    ...left.map(
      ({ pod, sandboxes, containers }) =>
        `  at the end the runtime has ${counted(sandboxes, 'sandbox', 'sandboxes')} and ${counted(containers, 'container')} of pod ${pod}`,
    ),
  ];
}

const at = (t: number): string => `${t.toFixed(1).padStart(8)}s`;

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return lines.map((line) => `  ${line}`);
  const half = MOST_LINES / 2;
  return [
    ...lines.slice(0, half).map((line) => `  ${line}`),
    `           … ${lines.length - MOST_LINES} more`,
    ...lines.slice(-half).map((line) => `  ${line}`),
  ];
}
