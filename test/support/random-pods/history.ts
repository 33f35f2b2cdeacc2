import type { Entry, EntryOf } from '../../../src/tape/entries.js';

/** A call, a row or an event; `t` in seconds since the pod's start. */
export interface Item {
  readonly t: number;
  readonly text: string;
}

/**
 * The history of a pod, in tracks: the order within a track is the kubelet's, that of two tracks depends on which of
 * its goroutines was first.
 */
export type History = ReadonlyMap<string, readonly Item[]>;

/**
 * A row that is shown for less than this, in s, may be missing: the kubelet sends a status after the previous one has
 * arrived.
 */
const BRIEF = 0.5;

/** The histories of pods on a tape, each counted from its start. */
export function historiesOf(
  entries: readonly Entry[],
  cameAt: ReadonlyMap<string, number>,
): Map<string, History> {
  const begun = entries.find((entry) => entry.kind === 'kubelet')?.t ?? 0;
  const made = new Map([...cameAt.keys()].map((pod) => [pod, new Map<string, Item[]>()]));
  for (const entry of entries) {
    const found = itemOf(entry);
    if (found === undefined) continue;
    const { pod, track, text } = found;
    const tracks = made.get(pod);
    if (tracks === undefined) continue;
    const items = tracks.get(track) ?? [];
    tracks.set(track, items);
    items.push({ t: (entry.t - begun) / 1e9 - (cameAt.get(pod) ?? 0), text });
  }
  return new Map([...made].map(([pod, tracks]) => [pod, normal(tracks)]));
}

interface Placed {
  readonly pod: string;
  readonly track: string;
  readonly text: string;
}

function itemOf(entry: Entry): Placed | undefined {
  if (entry.kind === 'call') return callItem(entry);
  if (entry.kind === 'row')
    return { pod: entry.pod.name, track: 'rows', text: `${entry.ready} ${entry.status} ${entry.restarts}` };
  if (entry.kind === 'event' && entry.pod !== undefined) return eventItem(entry.pod.name, entry);
  if (entry.kind === 'log') return loggedEvent(entry.text);
  if (entry.kind === 'pod' && entry.what === 'gone')
    return { pod: entry.pod.name, track: 'end', text: 'gone' };
  return undefined;
}

const CHANGING = /^(Run|Stop|Remove|Create|Start|Pull|Update|ExecSync)/;

/** Calls that change something, by their object: several goroutines of a kubelet make calls for a pod. */
function callItem({ method, pod, container, message }: EntryOf<'call'>): Placed | undefined {
  if (pod === undefined || !CHANGING.test(method)) return undefined;
  const request = message.json() as { cmd?: string[]; timeout?: string; image?: { image?: string } };
  if (method === 'PullImage')
    return { pod: pod.name, track: `pulls of ${request.image?.image}`, text: 'PullImage' };
  if (container === undefined)
    return { pod: pod.name, track: 'sandbox', text: `${method} ${pod.attempt ?? 0}` };
  const attempt = container.attempt ?? 0;
  if (method === 'ExecSync') {
    const [, by = ''] = request.cmd ?? [];
    // How often a probe runs depends on when it begins.
    if (by.endsWith('-probe')) return undefined;
    return { pod: pod.name, track: `${by} of ${container.name}`, text: `ExecSync ${attempt}` };
  }
  // The kubelet collects garbage every minute, by its clock.
  const track = method === 'RemoveContainer' ? `removals of ${container.name}` : `calls of ${container.name}`;
  const grace = method === 'StopContainer' ? ` ${request.timeout ?? 0}s` : '';
  return { pod: pod.name, track, text: `${method} ${attempt}${grace}` };
}

function eventItem(
  pod: string,
  { field, type, reason, text }: Pick<EntryOf<'event'>, 'field' | 'type' | 'reason' | 'text'>,
): Placed {
  const about = `${field || 'pod'} ${sideOf(reason, text)}`.trim();
  return { pod, track: `events of ${about}`, text: `${type} ${reason}: ${plain(text)}` };
}

/**
 * An event in the log of a kubelet program. Its API server gets at most 25 events of each pod in a short time
 * (client-go tools/record/events_cache.go EventSourceObjectSpamFilter), and combines similar ones.
 */
function loggedEvent(line: string): Placed | undefined {
  const [, pod, field = '', type = '', reason = '', text = ''] = EVENT.exec(line) ?? [];
  return pod === undefined ? undefined : eventItem(pod, { field, type, reason, text });
}

const EVENT =
  /^"Event occurred" .*object="default\/([^"]+)" fieldPath="([^"]*)" kind="Pod" apiVersion="v1" type="(\w+)" reason="(\w+)" message="(.*)"$/;

/** Probes of a container, and actions on it, progress independently. */
function sideOf(reason: string, text: string): string {
  if (reason === 'Unhealthy' || reason === 'ProbeWarning') return text.split(' ', 1).join();
  return /^(Killing|BackOff|FailedPreStopHook|FailedSync)$/.test(reason) ? reason : '';
}

/** Removes values that differ from run to run. */
const plain = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{64}\b/g, 'ID')
    .replace(/\b[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'UID')
    .replace(/\b[0-9a-f]{32}\b/g, 'UID')
    .replace(/\b\d+\.\d+\.\d+\.\d+:\d+->/g, 'IP->')
    .replace(/\b(10|127)\.\d+\.\d+\.\d+\b/g, 'IP')
    .replace(/ in [0-9.]+m?s \([0-9.]+m?s including waiting\)/, ' in TIME')
    .replace(/back-off [0-9hms.]+ restarting/, 'back-off TIME restarting')
    // Patch releases of one minor version, such as 1.29.6, differ in this.
    .replace(/^Created container: /, 'Created container ')
    .trimEnd();

function normal(tracks: ReadonlyMap<string, readonly Item[]>): History {
  return new Map(
    [...tracks].map(([track, items]) => [
      track,
      withoutRepetitions(track === 'rows' ? lasting(items) : items),
    ]),
  );
}

const lasting = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ t }, index) => (items[index + 1]?.t ?? Number.POSITIVE_INFINITY) - t >= BRIEF);

const withoutRepetitions = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ text }, index) => text !== items[index - 1]?.text);
