import { apiPodSchema } from '../../../../src/kubelet/kubernetes/pod.js';
import {
  type ContainerApiState,
  type ContainerApiStatus,
  podStatusSchema,
} from '../../../../src/kubelet/kubernetes/pod-status.js';
import { podRow } from '../../../../src/kubelet/status/row.js';

/** A pod in a kubelet's /pods. */
export interface PodJson {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: object;
}

/** The recorded texts of a pod: its row, its phase, every condition and every container. */
export type Tracks = Readonly<Record<string, string>>;

export function tracksOf(pod: PodJson): Tracks {
  const { metadata, spec, status = podStatusSchema.parse({}) } = apiPodSchema.parse(pod);
  const row = podRow({ metadata, spec }, status, 0n);
  const tracks: Record<string, string> = {
    row: `${row.ready} ${row.status} ${row.restarts}`,
    phase: [status.phase, status.reason, status.message].filter(Boolean).join(' '),
  };
  for (const { type, status: value, reason, message } of status.conditions) {
    tracks[`condition ${type}`] = [value, reason, message].filter(Boolean).join(' ');
  }
  for (const container of [...status.initContainerStatuses, ...status.containerStatuses]) {
    tracks[`container ${container.name}`] = plain(containerText(container));
  }
  return tracks;
}

function containerText({ state, lastState, ready, started, restartCount }: ContainerApiStatus): string {
  const flags = `${ready ? ' ready' : ''}${started ? ' started' : ''} restarts=${restartCount}`;
  return `${stateText(state)}${lastState === undefined ? '' : ` after ${stateText(lastState)}`}${flags}`;
}

function stateText(state: ContainerApiState): string {
  if (state.kind === 'running') return 'running';
  const { reason, message } = state;
  const code = state.kind === 'terminated' ? ` ${state.exitCode}` : '';
  return `${state.kind}${code} ${reason}${message === '' ? '' : ` ${JSON.stringify(message)}`}`;
}

/** Removes data that differs between runs. */
export const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{64}/g, 'ID')
    .replace(/\b[0-9a-f]{32}\b/g, 'UID')
    .replace(/\b\d+\.\d+\.\d+\.\d+:\d+->/g, 'IP->')
    .replace(/\b(10|127)\.\d+\.\d+\.\d+\b/g, 'IP')
    // The text of a failed exec depends on the runtime.
    .replace(/(errored and resulted in unknown state: )rpc error: code = (?!Canceled).*/s, '$1RUNTIME ERROR')
    .replace(/ in [0-9.]+m?s \([0-9.]+m?s including waiting\)\. Image size: \d+ bytes/, ' in TIME, SIZE')
    .trimEnd();
