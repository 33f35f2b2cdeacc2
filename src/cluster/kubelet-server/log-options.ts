import { Problem } from '../../runtime/control/problem.js';

/** v1.PodLogOptions. */
export interface LogOptions {
  readonly follow: boolean;
  /** The last ended container instead of the current one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; undefined for all. */
  readonly tailLines: number | undefined;
  /** Undefined for all. */
  readonly limitBytes: number | undefined;
  /** Unix nanoseconds; skips earlier lines. */
  readonly since: bigint | undefined;
}

const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * Parses the query of /containerLogs. `now` is in Unix nanoseconds. Throws 400 and 422 with the kubelet's texts, which
 * name no parameter (server.go getContainerLogs, validation.go ValidatePodLogOptions).
 */
export function readLogOptions(query: URLSearchParams, now: bigint): LogOptions {
  // The old name of tailLines; "all" equals none.
  const tail = query.get('tail');
  const tailText = tail === null ? query.get('tailLines') : tail === 'all' ? null : tail;
  const tailLines = wholeNumber(tailText);
  const limitBytes = wholeNumber(query.get('limitBytes'));
  const sinceSeconds = wholeNumber(query.get('sinceSeconds'));
  const sinceTime = query.get('sinceTime');
  const stream = query.get('stream');
  const isWrong =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTime !== null) ||
    !['All', 'Stdout', 'Stderr', null].includes(stream);
  if (isWrong) throw new Problem(422, '{"message": "Invalid request."}');
  if (stream !== null && stream !== 'All')
    throw new Problem(
      400,
      `unable to return the given log stream: "${stream}". Please enable PodLogsQuerySplitStreams feature gate in kubelet`,
    );
  return {
    follow: flag(query.get('follow')),
    previous: flag(query.get('previous')),
    timestamps: flag(query.get('timestamps')),
    tailLines,
    limitBytes,
    since:
      sinceSeconds !== undefined
        ? now - BigInt(sinceSeconds) * NANOS_PER_SECOND
        : sinceTime === null
          ? undefined
          : timeOf(sinceTime),
  };
}

const undecodable = () => new Problem(400, '{"message": "Unable to decode query."}');

function wholeNumber(text: string | null): number | undefined {
  if (text === null) return undefined;
  const number = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(number)) throw undecodable();
  return number;
}

/** Any other value sets a flag (apimachinery conversion Convert_Slice_string_To_bool). */
function flag(text: string | null): boolean {
  return text !== null && text.toLowerCase() !== 'false' && text !== '0';
}

/** The API server sends whole seconds (metav1.Time). */
function timeOf(text: string): bigint {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw undecodable();
  return BigInt(milliseconds) * 1_000_000n;
}
