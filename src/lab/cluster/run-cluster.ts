import type { Clock } from '../../base/clock/clock.js';
import { keepPace } from '../../base/clock/paced-clock.js';
import type { Json } from '../../kubelet/api-server/json.js';
import { type Api, ApiRefusal } from './control/api.js';
import type { ClusterPrograms } from './control/programs.js';
import { applyObject, discover, findResource, pathOf } from './control/resources.js';
import type { LoadedCluster } from './file/load.js';
import { type ClusterStep, type Counted, stepActions } from './file/schema.js';
import { type OpenCluster, openCluster } from './open-cluster.js';
import { type ApiRequest, isPassing, isWrite, objectText } from './proxy/api-request.js';
import { type Row, watchCount, watchRows } from './rows.js';
import { staleView } from './stale-view.js';

/** What happened, at a time in ms since all programs had started. */
export type ClusterEntry = { readonly time: number } & (
  | ({ readonly kind: 'row' } & Row)
  | { readonly kind: 'step'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly program: string;
      readonly verb: string;
      readonly object: string;
      /** Undefined if the connection broke. */
      readonly status: number | undefined;
      /** With `explain`: what the program had not been shown. */
      readonly stale?: ReturnType<typeof staleView>;
    }
  | { readonly kind: 'fault'; readonly fault: string; readonly program: string; readonly object: string }
  | { readonly kind: 'log'; readonly program: string; readonly text: string }
  | { readonly kind: 'finding'; readonly text: string }
);

export interface ClusterResult {
  readonly findings: readonly string[];
  /** By program: equal in equal runs. */
  readonly questions: Readonly<Record<string, { readonly count: number; readonly hash: string }>>;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly entry: (entry: ClusterEntry) => void;
  /** Calls have what the program had not been shown. */
  readonly explain?: boolean | undefined;
  /** A program's write or event of a watch, at a time in ms since the start. */
  readonly seen?: (program: string, request: ApiRequest, time: number) => void;
  /** A program's request was answered; without a status, its connection broke. */
  readonly answered?: (
    program: string,
    request: ApiRequest,
    status: number | undefined,
    time: number,
  ) => void;
  /** Keeps the cluster after the end, in real time, until the signal aborts. */
  readonly hold?: Hold;
  /** Awaited before the end is compared with what is expected. */
  readonly atEnd?: (cluster: OpenCluster) => Promise<void>;
}

export interface Hold {
  readonly machine: Clock;
  /** Called with the path of a kubeconfig with all rights. */
  readonly ready: (kubeconfig: string) => void;
}

/** Runs a scenario to its end, or until the signal aborts; leaves no process. */
export async function runCluster(
  { scenario, objects }: LoadedCluster,
  programs: ClusterPrograms,
  { signal, entry, explain = false, seen, answered, hold, atEnd }: RunOptions,
): Promise<ClusterResult> {
  const findings = new Map<string, string>();
  let cluster: OpenCluster | undefined;
  /** What programs say while they are ended is not part of the run. */
  let isOver = false;
  const note = (given: Untimed): void => {
    const time = cluster?.elapsed() ?? Number.NEGATIVE_INFINITY;
    // Before the beginning, only what the programs need to start happens.
    if (isOver || (time < 0 && given.kind !== 'finding')) return;
    entry({ time: Math.max(0, time), ...given });
  };
  /** Of those about one `subject`, the last one counts. */
  const find = (text: string, subject = text): void => {
    findings.set(subject, text);
    note({ kind: 'finding', text });
  };
  const opened = await openCluster(scenario, programs, {
    said: (program, text) => note({ kind: 'log', program, text }),
    explain,
    called: (program, request, status, unseen) => {
      const time = cluster?.elapsed() ?? -1;
      if (time >= 0) answered?.(program, request, status, time);
      if (!isWrite(request.verb)) return;
      const isStale = unseen.length > 0 && !isPassing(request.resource);
      const stale = isStale && { stale: staleView(request, unseen) };
      note({ kind: 'call', program, verb: request.verb, object: objectText(request), status, ...stale });
    },
    ...(seen && { seen: (program, request) => seen(program, request, cluster?.elapsed() ?? 0) }),
    applied: (program, seen, { fault }) => note({ kind: 'fault', fault, program, object: objectText(seen) }),
    ended: (program, how) => find(`${program} ended: ${how}`),
  });
  cluster = opened;
  try {
    await prepare(opened, objects, scenario.cluster.programs);
    opened.begin();
    const ends = await follow(opened, scenario, note, find);
    for (const step of [...scenario.timeline].sort((a, b) => a.at - b.at)) {
      await reach(opened, step.at, signal);
      if (signal.aborted) break;
      try {
        note({ kind: 'step', text: await act(opened, step, objects) });
      } catch (error) {
        if (!(error instanceof ApiRefusal)) throw error;
        find(`${stepText(step)} failed: ${error.message}`);
      }
    }
    await reach(opened, scenario.until, signal);
    await atEnd?.(opened);
    if (!signal.aborted) for (const end of ends) end();
    if (hold !== undefined && !signal.aborted) await stand(opened, hold, signal);
    const questions = Object.fromEntries(
      [...opened.programs].flatMap(([name, { questions }]) =>
        questions === undefined ? [] : [[name, questions()]],
      ),
    );
    return { findings: [...findings.values()], questions };
  } finally {
    isOver = true;
    await opened.close();
  }
}

type Untimed = ClusterEntry extends infer E ? (E extends ClusterEntry ? Omit<E, 'time'> : never) : never;

async function reach({ clock, elapsed }: OpenCluster, at: number, signal: AbortSignal): Promise<void> {
  await clock.runUntil(() => signal.aborted, at - elapsed());
}

async function stand(
  { clock, admit }: OpenCluster,
  { machine, ready }: Hold,
  signal: AbortSignal,
): Promise<void> {
  ready(await admit());
  const begun = machine.elapsed() - clock.elapsed();
  await keepPace(machine, signal, () =>
    clock.runUntil(() => signal.aborted, machine.elapsed() - begun - clock.elapsed()),
  );
}

/** Virtual ms in which the API server serves new CRDs. */
const CRD_TIME = 2000;

async function prepare(
  { api, clock, programs }: OpenCluster,
  objects: LoadedCluster['objects'],
  entries: LoadedCluster['scenario']['cluster']['programs'],
): Promise<void> {
  for (const { name, manifests } of entries) {
    const all = manifests.flatMap((path) => objects.get(path) ?? []);
    const [first, others] = [all.filter(isFirst), all.filter((each) => !isFirst(each))];
    await applyAll(api, first, 'default');
    if (first.length > 0) await clock.advance(CRD_TIME);
    await applyAll(api, others, 'default');
    programs.get(name)?.start();
  }
}

/** Returns what it applied. */
async function applyAll(api: Api, objects: readonly Json[], namespace: string): Promise<readonly string[]> {
  const applied: string[] = [];
  const all = objects.length > 0 ? await discover(api) : [];
  for (const object of objects) applied.push(await applyObject(api, all, object, namespace));
  return applied;
}

const isFirst = ({ kind }: Json): boolean => kind === 'CustomResourceDefinition' || kind === 'Namespace';

/** Watches what is shown and expected. Returns what checks the end. */
async function follow(
  { api }: OpenCluster,
  { show, expect }: LoadedCluster['scenario'],
  note: (entry: Untimed) => void,
  find: (text: string, subject?: string) => void,
): Promise<readonly (() => void)[]> {
  const all = await discover(api);
  for (const named of show)
    await watchRows(api, findResource(all, named), (row) => note({ kind: 'row', ...row }));
  for (const [index, { above = Number.POSITIVE_INFINITY, below = 0, ...what }] of expect.never.entries()) {
    let most = above;
    let least = 0;
    await watchCount(api, all, what, (count) => {
      if (count > most) find(`${countText(what, count)}, never expected above ${above}`, `above ${index}`);
      most = Math.max(most, count);
      // A number that has not yet grown to it is not below it.
      if (count >= below) least ||= below;
      if (count < least) find(`${countText(what, count)}, never expected below ${below}`, `below ${index}`);
      least = Math.min(least, count);
    });
  }
  const ends: (() => void)[] = [];
  for (const { is, ...what } of expect.end) {
    let last = 0;
    await watchCount(api, all, what, (count) => {
      last = count;
    });
    ends.push(() => {
      if (last !== is) find(`${countText(what, last)} at the end, expected ${is}`);
    });
  }
  return ends;
}

const countText = ({ count, selector, namespace }: Counted, found: number): string =>
  `${found} ${count}${selector === undefined ? '' : ` with ${selector}`}${namespace === undefined ? '' : ` in ${namespace}`}`;

function stepText(step: ClusterStep): string {
  const { patch } = step;
  if (patch !== undefined) return `patch ${patch.object} ${JSON.stringify(patch.with)}`;
  return stepActions
    .flatMap((action) => (step[action] === undefined ? [] : `${action} ${step[action]}`))
    .join();
}

/** Does one step, and returns what it did. */
async function act(
  { api, programs }: OpenCluster,
  step: ClusterStep,
  objects: LoadedCluster['objects'],
): Promise<string> {
  const { apply, delete: deleted, patch, kill, start, pause, resume, namespace } = step;
  if (kill !== undefined) await programs.get(kill)?.kill();
  if (start !== undefined) programs.get(start)?.start();
  if (pause !== undefined) programs.get(pause)?.pause?.();
  if (resume !== undefined) programs.get(resume)?.resume?.();
  if (apply !== undefined)
    return `apply ${(await applyAll(api, objects.get(apply) ?? [], namespace)).join(', ')}`;
  const changed = deleted ?? patch?.object;
  if (changed !== undefined) {
    const [named = '', name = ''] = changed.split('/');
    const path = pathOf(findResource(await discover(api), named), namespace, name);
    if (patch === undefined) await api.send({ method: 'DELETE', path });
    else
      await api.send({
        method: 'PATCH',
        path,
        body: patch.with,
        contentType: 'application/merge-patch+json',
      });
  }
  return stepText(step);
}
