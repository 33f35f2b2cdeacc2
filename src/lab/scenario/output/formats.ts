import type { SimulatedEvent, SimulatedRow, Simulation } from '../run/run.js';
import { clockText } from './clock-text.js';
import { timelineText } from './timeline.js';

export interface LineWriter {
  readonly header: readonly string[];
  row(row: SimulatedRow): string | undefined;
  event(event: SimulatedEvent): string | undefined;
  whole(run: Simulation): readonly string[];
}

/** Formats of `mockri simulate --output`; see `createLineWriter`. */
export type OutputFormat = 'table' | 'json' | 'events' | 'timeline' | 'html' | 'matrix';

export const outputFormats: readonly OutputFormat[] = [
  'table',
  'json',
  'events',
  'timeline',
  'html',
  'matrix',
];

const none = () => undefined;
const nothing = () => [];

/**
 * `timeline`: everything that happened; `table`: like `kubectl get pod -w`; `json`: one row per line; `events`: like
 * `kubectl get events`; `html` and `matrix` have no lines.
 */
export function createLineWriter(format: OutputFormat, room: NameRoom = {}): LineWriter {
  const { columns, rowColumns } = columnsFor(room);
  switch (format) {
    case 'json':
      return { header: [], row: (row) => JSON.stringify(row), event: none, whole: nothing };
    case 'events':
      return {
        header: [columns('TIME', 'TYPE', 'REASON', 'POD', 'MESSAGE')],
        row: none,
        event: ({ t, type, reason, pod, message }) => columns(clockText(t), type, reason, pod, message),
        whole: nothing,
      };
    case 'table':
      return {
        header: [rowColumns('TIME', 'NAME', 'READY', 'STATUS', 'RESTARTS')],
        row: ({ t, pod, ready, status, restarts }) =>
          rowColumns(clockText(t), pod, ready, status, String(restarts)),
        event: none,
        whole: nothing,
      };
    case 'html':
    case 'matrix':
      return { header: [], row: none, event: none, whole: nothing };
    case 'timeline':
      return { header: [], row: none, event: none, whole: (run) => timelineText(run, { withCalls: true }) };
  }
}

/** Widths of columns with the kubelet's words: no word is longer, except statuses of init containers. */
const REASON = 'FailedCreatePodSandBox'.length;
const STATUS = 'CreateContainerConfigError'.length;
/** In a narrow terminal, where names need the space. */
const SHORT_STATUS = 'ContainerCreating'.length;
/** All columns of a row but name and status, with the spaces between them. */
const ROW_REST = '0m00.000s  '.length + ' 0/1     '.length + ' RESTARTS'.length;

/** Minimum widths of a pod's name, in rows and in events. */
const ROW_NAME = 24;
const EVENT_NAME = 24;

export interface NameRoom {
  readonly names?: readonly string[];
  /** Width of the terminal. Default: no limit. */
  readonly width?: number | undefined;
}

function columnsFor({ names = [], width = Number.POSITIVE_INFINITY }: NameRoom) {
  const longest = Math.max(0, ...names.map((name) => name.length));
  const widthOf = (least: number, others: number) => Math.max(least, Math.min(longest, width - others));
  const isTight = longest > Math.max(ROW_NAME, width - ROW_REST - STATUS);
  const status = isTight ? SHORT_STATUS : STATUS;
  const rowName = widthOf(ROW_NAME, ROW_REST + status);
  const eventName = widthOf(EVENT_NAME, '0m00.000s  Warning   '.length + REASON);
  return {
    columns: (time: string, type: string, reason: string, pod: string, message: string): string =>
      `${time.padEnd(10)} ${type.padEnd(8)} ${reason.padEnd(REASON)} ${pod.padEnd(eventName)} ${message}`,
    rowColumns: (time: string, pod: string, ready: string, state: string, restarts: string): string =>
      `${time.padEnd(10)} ${shortened(pod, rowName).padEnd(rowName)} ${ready.padEnd(7)} ${state.padEnd(status)} ${restarts}`,
  };
}

/** A name without its middle: its beginning says which pod it is, its end which replica. */
function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
}
