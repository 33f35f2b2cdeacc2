import { durationOf, type FinishedCall, faultsOf, type OtherEntry } from '../calls.js';
import type { PodName } from '../entries.js';
import { showSubject } from '../show.js';

/** Process for calls that concern no pod. */
const NODE = 1;
/** Tracks of lifecycles come before those of calls. */
const FIRST_CALL_TRACK = 1000;

interface Begun {
  readonly t: number;
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
}

/**
 * Events in the Chrome trace format, which Perfetto reads: a process per pod, a track per container with bars for its
 * instances, and enough tracks for concurrent calls so that no bars overlap.
 */
export function createPerfettoExport(): {
  events(each: FinishedCall | OtherEntry): object[];
  rest(): object[];
} {
  const { processOf, trackOf, laneOf } = createTracks();
  const running = new Map<string, Begun>();
  let last = 0;

  const ofCall = (each: FinishedCall): object[] => {
    const { call, end, line } = each;
    const duration = durationOf(each) ?? 0;
    const [pid, made] = processOf(call.pod);
    const [tid, lane] = laneOf(pid, call.t, call.t + duration);
    const faults = faultsOf(each);
    const args = {
      code: end?.code ?? 'no answer',
      ...(call.container && { container: showSubject({ container: call.container }) }),
      ...(end?.details && { details: end.details }),
      ...(faults.length > 0 && { faults: faults.join(', ') }),
      line,
    };
    const isFailed = end !== undefined && end.code !== 'OK';
    return [
      ...made,
      ...lane,
      {
        ph: 'X',
        pid,
        tid,
        ts: call.t / 1000,
        dur: Math.max(duration, 1) / 1000,
        name: `${call.method}${isFailed ? ` ${end.code}` : ''}`,
        cat: 'call',
        args,
      },
    ];
  };

  const ofOther = ({ entry, line }: OtherEntry): object[] => {
    last = Math.max(last, entry.t);
    if (entry.kind === 'container') {
      const { pod, container, what } = entry;
      const [pid, made] = processOf(pod);
      const [tid, track] = trackOf(pid, container?.name || 'containers');
      const key = `${pid} ${tid} ${container?.attempt}`;
      if (what === 'started') {
        running.set(key, { t: entry.t, pid, tid, name: `running (${container?.attempt ?? 0})` });
        return [...made, ...track];
      }
      const begun = running.get(key);
      if (what !== 'ended' || begun === undefined) return [...made, ...track];
      running.delete(key);
      const args = { exitCode: entry.exitCode, reason: entry.reason, line };
      return [...made, ...track, bar(begun, entry.t, args)];
    }
    const name = markOf(entry);
    if (name === undefined) return [];
    const [pid, made] = processOf('pod' in entry ? entry.pod : undefined);
    const [tid, track] = trackOf(pid, entry.kind);
    return [
      ...made,
      ...track,
      { ph: 'i', s: 't', pid, tid, ts: entry.t / 1000, name, cat: entry.kind, args: { line } },
    ];
  };

  return {
    events: (each) => (each.kind === 'finished' ? ofCall(each) : ofOther(each)),
    rest: () => [...running.values()].map((begun) => bar(begun, last, { exitCode: 'still running' })),
  };
}

/** Returns processes and tracks by name, with the events that name new ones. */
function createTracks() {
  const pids = new Map<string, number>();
  const tids = new Map<string, number>();
  /** End of the last call on each track of a process, in ns. */
  const lanes = new Map<number, number[]>();

  const named = (pid: number, tid: number, name: string): object[] => [
    { ph: 'M', pid, tid, name: 'thread_name', args: { name } },
    { ph: 'M', pid, tid, name: 'thread_sort_index', args: { sort_index: tid } },
  ];
  const processOf = (pod: PodName | undefined): [number, object[]] => {
    const name = pod === undefined ? 'node' : showSubject({ pod });
    const known = pids.get(name);
    if (known !== undefined) return [known, []];
    const pid = pod === undefined ? NODE : pids.size + NODE + 1;
    pids.set(name, pid);
    return [pid, [{ ph: 'M', pid, tid: 0, name: 'process_name', args: { name } }]];
  };
  const trackOf = (pid: number, name: string): [number, object[]] => {
    const key = `${pid} ${name}`;
    const known = tids.get(key);
    if (known !== undefined) return [known, []];
    const tid = tids.size + 1;
    tids.set(key, tid);
    return [tid, named(pid, tid, name)];
  };
  /** Calls are ordered by their end: a lane is free if its last call ended before this one began. */
  const laneOf = (pid: number, from: number, to: number): [number, object[]] => {
    const ends = lanes.get(pid) ?? [];
    lanes.set(pid, ends);
    let lane = ends.findIndex((end) => end <= from);
    if (lane < 0) lane = ends.length;
    const isNew = lane === ends.length;
    ends[lane] = Math.max(to, from + 1);
    const tid = FIRST_CALL_TRACK + lane;
    return [tid, isNew ? named(pid, tid, lane === 0 ? 'calls' : `calls ${lane + 1}`) : []];
  };
  return { processOf, trackOf, laneOf };
}

/** Text of an entry's mark; undefined for hidden entries. */
function markOf(entry: OtherEntry['entry']): string | undefined {
  switch (entry.kind) {
    case 'fault':
      return `fault ${entry.rule}`;
    case 'event':
      return entry.reason;
    case 'row':
      return `${entry.ready} ${entry.status}`;
    case 'sandbox':
    case 'kubelet':
    case 'pod':
      return `${entry.kind} ${entry.what}`;
    case 'step':
      return entry.text;
    case 'node':
      return `Ready=${entry.ready}`;
    case 'gap':
      return 'gap';
    default:
      return undefined;
  }
}

const bar = ({ t, pid, tid, name }: Begun, end: number, args: object): object => ({
  ph: 'X',
  pid,
  tid,
  ts: t / 1000,
  dur: Math.max(end - t, 1) / 1000,
  name,
  cat: 'container',
  args,
});
