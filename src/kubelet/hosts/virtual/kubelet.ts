import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../base/clock/clock.js';
import type { ClockedServer } from '../../../base/clock/network/http-server.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { backOffReport, eventFacts, nodeProblems, plegReport } from '../../../tape/import/kubelet-texts.js';
import type { Json } from '../../api-server/json.js';
import { createApiObjects } from '../../api-server/objects.js';
import { startApiServer } from '../../api-server/server.js';
import type { Pod } from '../../kubernetes/pod.js';
import type { PodSource } from '../../pod-ports.js';
import type { KubeletKind, KubeletReports } from '../kubelet.js';
import { type ClockedProgram, startOnClock } from './clocked-program.js';
import { type KubeletCommandParts, kubeletCommand, manifestsOf } from './kubelet-command.js';
import { followPods, type ProgramPods } from './pods.js';
import { kubeconfig } from './program-config.js';

export interface VirtualKubeletParts extends KubeletCommandParts {
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly podSource: PodSource;
  readonly apiObjects: ReadonlyMap<string, Json>;
  /** Returns JSON. */
  readonly manifestOf: (pod: Pod) => string;
}

/** A kubelet program on virtual time with its API server, which `close` stops. */
export function virtualKubelet(parts: VirtualKubeletParts): {
  readonly kind: KubeletKind;
  /** The next start runs another program. */
  use(program: string): void;
  close(): void;
} {
  const { clock, directory } = parts;
  let { program } = parts;
  const objects = createApiObjects();
  for (const [path, object] of parts.apiObjects) objects.put(path, object);
  const pods = followPods({ ...parts, objects, manifests: manifestsOf(directory) });
  let reports: KubeletReports | undefined;
  let server: Promise<ClockedServer> | undefined;
  const onChange: Change = (change) => reports && report(reports, clock, pods, change);
  const prepare = async (): Promise<string[]> => {
    server ??= startApiServer({ objects, clock, onChange });
    const { url } = await server;
    return kubeletCommand({ ...parts, program }, kubeconfig(url));
  };
  const log = join(directory, 'kubelet.log');
  /** Resolves when the previous program has ended. */
  let before: Promise<void> = Promise.resolve();
  let starts = 0;
  const kind: KubeletKind = (its) => {
    let running: ClockedProgram | undefined;
    let isKilled = false;
    const start = async () => {
      await before;
      const command = await prepare();
      if (isKilled) return;
      reports = its;
      running = startOnClock({
        ...parts,
        seed: parts.seed + starts++,
        command,
        log,
        said: (line) => {
          const text = messageOf(line);
          const pleg = plegReport(text);
          if (pleg !== undefined) its.onPleg(pleg);
          const backOff = backOffReport(text);
          if (backOff !== undefined) its.onBackOff({ ...backOff, finishedAt: undefined, waits: true });
          its.log(text);
        },
        ended: (how) => its.exited(how),
      });
    };
    return {
      start,
      kill: () => {
        isKilled = true;
        if (running !== undefined) before = running.kill();
      },
      pods: pods.all,
      isIdle: false,
      syncNow: async () => {},
      health: () => undefined,
      metrics: () => scrape(clock, parts.readOnlyPort),
    };
  };
  return {
    kind,
    use: (other) => {
      program = other;
    },
    close: () => void server?.then((made) => made.close()),
  };
}

/** A klog line without its time, source position and nested quotes, like the thin kubelet's log. */
const messageOf = (line: string): string =>
  line.replace(/^[IWEF]\d{4} [\d:.]+ +\d+ [^\]]+\] /, '').replaceAll('\\"', '"');

type Change = (change: { readonly method: string; readonly path: string; readonly object: Json }) => void;

function report(
  reports: KubeletReports,
  clock: Clock,
  pods: ProgramPods,
  change: Parameters<Change>[0],
): void {
  const { method, path, object } = change;
  if (/\/pods\/[^/]+(\/status)?$/.test(path) || (method === 'POST' && /\/pods$/.test(path)))
    reportPod(reports, pods, change);
  else if (/\/events(\/[^/]+)?$/.test(path)) reportEvent(reports, clock, pods, object);
  else if (/\/leases\/[^/]+$/.test(path)) reports.onHeartbeat(undefined);
  else if (/^\/api\/v1\/nodes(\/[^/]+\/status)?$/.test(path)) reportNode(reports, object);
}

function reportPod(
  { statusSink }: KubeletReports,
  pods: ProgramPods,
  { method, path, object }: Parameters<Change>[0],
): void {
  const { namespace, name } = object.metadata;
  const pod = pods.find(`/api/v1/namespaces/${namespace}/pods/${name}`);
  if (pod === undefined) return;
  if (method === 'DELETE') statusSink.finished?.(pod);
  else if (path.endsWith('/status')) statusSink.status(pod, pods.statusOf(object));
}

function reportEvent({ eventSink }: KubeletReports, clock: Clock, pods: ProgramPods, object: Json): void {
  const { involvedObject: about, reason, message, type } = object;
  if (about.kind !== 'Pod') return;
  const pod = pods.find(`/api/v1/namespaces/${about.namespace}/pods/${about.name}`);
  eventSink.event({
    time: clock.now(),
    sequence: Number(object.metadata.resourceVersion),
    uid: pod?.metadata.uid ?? about.uid,
    pod: about.name,
    namespace: about.namespace,
    field: about.fieldPath ?? '',
    type,
    reason,
    message,
    facts: eventFacts(reason, message),
  });
}

function reportNode({ onHeartbeat, onNode }: KubeletReports, { status }: Json): void {
  const ready = status?.conditions?.find(({ type }: Json) => type === 'Ready');
  if (ready === undefined) return;
  const { status: isReady, reason, message } = ready;
  const problems = nodeProblems(message);
  const view = { status: isReady, reason, message, problems };
  onNode(view);
  onHeartbeat(view);
}

/**
 * Reads a program's metrics from its unauthenticated port; empty if nothing listens there. No virtual time passes
 * meanwhile: the clock settles once the request is sent, and the program answers at this instant.
 */
export async function scrape(clock: VirtualClock, port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const release = clock.hold();
  try {
    await once(socket, 'connect');
    clock.wires.follow(socket);
    const asked = request({
      createConnection: () => socket,
      path: '/metrics',
      headers: { Connection: 'close' },
    });
    const answer = once(asked, 'response').then(([response]) => text(response));
    await new Promise<void>((resolve) => asked.end(resolve));
    release();
    return await clock.idle(answer);
  } catch {
    return '';
  } finally {
    release();
    socket.destroy();
  }
}
