import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../api-server/json.js';
import { createApiObjects } from '../../api-server/objects.js';
import { type ApiServer, startApiServer } from '../../api-server/server.js';
import { selfSigned } from '../../certificates/keyed-certificate.js';
import type { Clock } from '../../clock/clock.js';
import type { VirtualClock } from '../../clock/virtual-clock.js';
import type { PodSource } from '../../kubelet/pod-ports.js';
import type { Pod } from '../../kubernetes/pod.js';
import { eventFacts, nodeProblems, plegReport } from '../../tape/import/kubelet-texts.js';
import type { KubeletKind, KubeletReports } from '../kubelet.js';
import type { ConfigurationOptions } from '../kubelet-configuration.js';
import { type ClockedProgram, startOnClock } from './clocked-program.js';
import { lastWords } from './last-words.js';
import { inNamespaces, OWN_PLACE, placeOutside } from './namespaces.js';
import { followPods, type ProgramPods } from './pods.js';
import { kubeconfig, programConfig } from './program-config.js';
import { scrape } from './scrape.js';

/** A kubelet program that was built for virtual time, and what it runs. */
export interface VirtualKubeletParts extends Omit<ConfigurationOptions, 'endpoint'> {
  readonly clock: VirtualClock;
  readonly program: string;
  /** Of all its random numbers. */
  readonly seed: number;
  /** Its own: everything that it writes is in there. The runtime listens at `runtimeSocket` of it. */
  readonly directory: string;
  readonly nodeName: string;
  readonly podSource: PodSource;
  /** The manifest of a pod, as JSON. */
  readonly manifestOf: (pod: Pod) => string;
}

/** Name of the runtime's socket. */
const SOCKET = 'cri.sock';

/** Where the runtime has to listen for the kubelet of this directory, which is made. */
export function runtimeSocket(directory: string): string {
  const own = placeOutside(directory, OWN_PLACE);
  mkdirSync(own, { recursive: true });
  return `unix://${join(own, SOCKET)}`;
}

/** A kubelet program on virtual time, and the API server that it has. `close` ends the server. */
export function virtualKubelet(parts: VirtualKubeletParts): { readonly kind: KubeletKind; close(): void } {
  const { clock, directory, nodeName, program } = parts;
  const objects = createApiObjects();
  const own = placeOutside(directory, OWN_PLACE);
  const pods = followPods({ ...parts, objects, manifests: join(own, 'manifests') });
  let reports: KubeletReports | undefined;
  let server: Promise<ApiServer> | undefined;
  const onChange: Change = (change) => reports && report(reports, clock, pods, change);
  const prepare = async (): Promise<void> => {
    mkdirSync(join(own, 'volume-plugins'), { recursive: true });
    writeCertificate(join(own, 'pki'), nodeName, clock);
    server ??= startApiServer({ objects, clock, onChange });
    const { url } = await server;
    writeFileSync(join(own, 'kubeconfig'), kubeconfig(url));
    const endpoint = `unix://${OWN_PLACE}/${SOCKET}`;
    writeFileSync(join(own, 'config.yaml'), programConfig({ ...parts, endpoint }));
  };
  const command = [
    program,
    ...['--config', `${OWN_PLACE}/config.yaml`, '--kubeconfig', `${OWN_PLACE}/kubeconfig`],
    ...['--hostname-override', nodeName, '--v=2', '--vmodule=evented=4'],
  ];
  const log = join(directory, 'kubelet.log');
  /** Resolves when the last one has ended. */
  let before: Promise<void> = Promise.resolve();
  let starts = 0;
  const kind: KubeletKind = (its) => {
    let running: ClockedProgram | undefined;
    let isKilled = false;
    const start = async () => {
      await before;
      await prepare();
      if (isKilled) return;
      reports = its;
      running = startOnClock({
        ...parts,
        seed: parts.seed + starts++,
        command: inNamespaces(directory, nodeName, command),
        log,
        said: (line) => {
          const text = messageOf(line);
          const pleg = plegReport(text);
          if (pleg !== undefined) its.onPleg(pleg);
          its.log(text);
        },
        ended: (code) => its.exited(`${code}${lastWords(log)}`),
        stuck: () => its.exited(`it ran for a minute of real time without waiting${lastWords(log)}`),
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
  return { kind, close: () => void server?.then((made) => made.close()) };
}

/** The certificate of its server. Without one the kubelet makes it, with an RSA key, which takes a fifth of the processor time of a run of four minutes. */
function writeCertificate(directory: string, nodeName: string, clock: Clock): void {
  if (existsSync(directory)) return;
  const subject = { commonName: nodeName, organization: 'mockri', hosts: [nodeName] };
  const { cert, key } = selfSigned(subject, Number(clock.now() / 1_000_000n));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'kubelet.crt'), cert);
  writeFileSync(join(directory, 'kubelet.key'), key, { mode: 0o600 });
}

/** A line of klog without its time, place in the source, and quotes in quotes, as the thin kubelet's log has it. */
const messageOf = (line: string): string =>
  line.replace(/^[IWEF]\d{4} [\d:.]+ +\d+ [^\]]+\] /, '').replaceAll('\\"', '"');

type Change = (change: { readonly method: string; readonly path: string; readonly object: Json }) => void;

/** What a request of the kubelet says about its pods and node. */
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
