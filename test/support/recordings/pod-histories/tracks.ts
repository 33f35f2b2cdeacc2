import { podRow } from '../../../../src/kubelet/status/row.js';
import type {
  ContainerApiState,
  ContainerApiStatus,
  Pod,
  PodApiStatus,
} from '../../../../src/kubelet/types.js';

type Json = Readonly<Record<string, unknown>>;

/** A pod in a kubelet's /pods. */
export interface PodJson {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly initContainers?: readonly Json[]; readonly containers: readonly Json[] };
  readonly status: Json;
}

/** The recorded texts of a pod: its row, its phase, every condition and every container. */
export type Tracks = Readonly<Record<string, string>>;

export function tracksOf(pod: PodJson): Tracks {
  const status = apiStatus(pod.status);
  const { initContainers = [], containers } = pod.spec;
  const { name, deletionTimestamp } = pod.metadata;
  const internal = {
    metadata: { name, deletionTimestamp },
    spec: { initContainers, containers },
  } as unknown as Pod;
  const row = podRow(internal, status, 0n);
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

function apiStatus(json: Json): PodApiStatus {
  const list = (name: string) => ((json[name] ?? []) as readonly Json[]).map(containerStatus);
  return {
    ...json,
    conditions: json.conditions ?? [],
    podIPs: [],
    initContainerStatuses: list('initContainerStatuses'),
    containerStatuses: list('containerStatuses'),
  } as unknown as PodApiStatus;
}

function containerStatus(json: Json): ContainerApiStatus {
  return {
    ...json,
    state: apiState(json.state) ?? { kind: 'waiting', reason: '', message: '' },
    lastState: apiState(json.lastState),
  } as unknown as ContainerApiStatus;
}

function apiState(json: unknown): ContainerApiState | undefined {
  for (const [kind, fields] of Object.entries((json ?? {}) as Readonly<Record<string, Json>>)) {
    return {
      reason: '',
      message: '',
      finishedAt: 0n,
      ...plainFields(fields),
      kind,
    } as unknown as ContainerApiState;
  }
  return undefined;
}

/** Times are not compared. */
const plainFields = ({ startedAt: _, finishedAt: __, ...fields }: Json): Json => fields;
