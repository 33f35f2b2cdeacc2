import { counted } from '../../../base/input/counted.js';
import type { ContainerName, PodName } from '../../entries.js';
import type { Timeline } from './timeline.js';

/** `namespace/name`; empty without a pod. */
export const podKey = (pod: PodName | undefined): string =>
  pod === undefined ? '' : `${pod.namespace}/${pod.name}`;

export const containerLabel = ({ name, id }: ContainerName): string =>
  name !== '' ? name : (id ?? '').slice(0, 12);

/** Formats nanoseconds: `340µs`, `1.2ms`, `41.3s`, `5m10s`, `2h3m`. */
export function durationText(nanos: number): string {
  if (nanos < 0) return `-${durationText(-nanos)}`;
  // Each limit is where the text would round to the next unit.
  if (nanos < 999.5) return `${Math.round(nanos)}ns`;
  if (nanos < 999.5e3) return `${Math.round(nanos / 1e3)}µs`;
  if (nanos < 999.95e6) return `${trimmed(nanos / 1e6, 1)}ms`;
  const seconds = nanos / 1e9;
  if (seconds < 59.95) return `${trimmed(seconds, seconds < 10 ? 2 : 1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return pair(whole, 60, 'm', 1, 's');
  return whole < 86_400 ? pair(whole, 3600, 'h', 60, 'm') : pair(whole, 86_400, 'd', 3600, 'h');
}

function pair(value: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((value % large) / small);
  return `${Math.floor(value / large)}${largeUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
}

const trimmed = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** A moment on the axis, with the digits that the resolution (ns) needs. */
export function timeText(nanos: number, resolution = 1e6): string {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(resolution / 1e9) - 1e-9)));
  const total = Math.round((Math.abs(nanos) / 1e9) * 10 ** digits) / 10 ** digits;
  const sign = nanos < 0 && total > 0 ? '-' : '';
  const minutes = Math.floor(total / 60);
  const seconds = (total - minutes * 60).toFixed(digits);
  if (minutes === 0) return `${sign}${seconds}s`;
  const padded = seconds.padStart(digits === 0 ? 2 : digits + 3, '0');
  if (minutes < 60) return `${sign}${minutes}m${padded}s`;
  return `${sign}${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m${padded}s`;
}

/** Label of an axis line, as short as the step allows: `4h`, `1h30m`, `2m`, `1m30s`. */
export const tickText = (nanos: number, step: number): string => {
  const text = timeText(nanos, step);
  const isWhole = step >= 1e9;
  return isWhole ? text.replace(/(?<=[hm])00s$/, '').replace(/(?<=h)00m$/, '') : text;
};

/** A moment in ms, without trailing zeros. */
export const momentText = (nanos: number): string =>
  timeText(nanos)
    .replace(/(\.\d*?)0+s$/, '$1s')
    .replace('.s', 's');

/** Describes all tapes of the page in one sentence. */
export function summaryOf(
  timelines: readonly Pick<Timeline, 'header' | 'calls' | 'lines' | 'end'>[],
): string {
  const total = (of: 'calls' | 'lines') => timelines.reduce((sum, timeline) => sum + timeline[of], 0);
  const all = (of: (timeline: Pick<Timeline, 'header'>) => string) =>
    [...new Set(timelines.flatMap(of))].join(' and ');
  const tapes = timelines.length > 1 ? `${timelines.length} tapes: ` : '';
  const length = momentText(Math.max(...timelines.map(({ end }) => end)));
  const counts = `${counted(total('calls'), 'call')}, ${counted(total('lines'), 'line')}, ${length}`;
  const redacted = [...new Set(timelines.flatMap(({ header }) => header.redacted ?? []))].join(', ');
  const made = `${all(({ header }) => header.clock)} time, recorded by ${all(({ header }) => header.recorder)}`;
  return `${tapes}${counts}, ${made}${redacted === '' ? '' : `; redacted: ${redacted}`}`;
}
