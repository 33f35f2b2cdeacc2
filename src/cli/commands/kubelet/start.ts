import { connect } from 'node:net';
import type { Clock } from '../../../base/clock/clock.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { machineNetwork } from '../../../base/network/network.js';
import { createRandom } from '../../../base/random/random.js';
import type { CriClient } from '../../../cri/client/client.js';
import { type CriConnection, connectCri } from '../../../cri/client/connect.js';
import { CriError } from '../../../cri/errors.js';
import { createNodeFiles } from '../../../kubelet/disk/node-files.js';
import { createNodeHost, type NodeHost } from '../../../kubelet/hosts/host.js';
import { thinKubelet } from '../../../kubelet/hosts/thin.js';
import { startReadOnlyServer } from '../../../kubelet/http/read-only-server.js';
import { createGivenPods } from '../../../kubelet/pods/given-pods.js';
import { watchManifests } from '../../../kubelet/pods/manifest-source.js';
import type { PodIdentity } from '../../../kubelet/types/reports.js';
import { recordClientToFile } from '../../output/client-recording.js';
import type { Running } from '../../signals.js';
import { complain } from '../../terminal/complain.js';
import { createReports } from './reports.js';
import { type Flags, readSettings, type Settings } from './settings.js';

/** In ms. */
const CONNECT_TIMEOUT = 10_000;

type AtEnd = Running['atEnd'];

/** Starts all parts, those that can fail first. Rejects if the signal aborts before it runs. */
export async function startKubelet(flags: Flags, atEnd: AtEnd, signal: AbortSignal): Promise<void> {
  const settings = await readSettings(flags);
  const { rootDir, podLogsDir, manifests } = settings;
  const { config } = settings.kubelet;
  const clock = createRealClock();
  const connection = connectCri(settings.endpoint, { clock });
  atEnd(() => connection.close());
  signal.addEventListener('abort', connection.close);
  signal.throwIfAborted();
  await untilReady(connection, settings.endpoint);
  const pods = createGivenPods();
  const { cri, tape } = await record(flags, connection, clock, atEnd);
  signal.removeEventListener('abort', connection.close);
  const host = createNodeHost({
    clock,
    ...createReports(flags, tape, clock),
    kubelet: thinKubelet({
      cri,
      clock,
      network: machineNetwork,
      random: createRandom(String(clock.now())),
      settings: settings.kubelet,
      podSource: pods,
      files: createNodeFiles({ rootDir, podLogsDir }),
      keepsMetrics: true,
      orphanedPods: { keep: flags.keepOrphanedPods, onStop: reportOrphaned(manifests) },
    }),
  });
  const nodeName = flags.hostnameOverride.trim().toLowerCase();
  if (config.readOnlyPort !== 0) atEnd(await serveReadOnly(settings, host, nodeName));
  const source = await watchManifests({
    path: manifests,
    nodeName,
    clock,
    mayReferToApi: !settings.kubelet.version.gates.PreventStaticPodAPIReferences,
    period: config.fileCheckFrequency,
    onPods: pods.set,
    onProblem: complain,
  });
  atEnd(() => source.close());
  atEnd(() => host.kill());
  signal.addEventListener('abort', host.kill, { once: true });
  signal.throwIfAborted();
  await host.start();
}

async function record(flags: Flags, cri: CriClient, clock: Clock, atEnd: AtEnd) {
  const { record: file, keep, kubeletVersion: kubelet } = flags;
  if (file === undefined) return { cri, tape: undefined };
  const onFailure = (message: string) => complain(`mockri: ${message}`);
  const { runtimeName: name, runtimeVersion: version, runtimeApiVersion: apiVersion } = await cri.version({});
  const about = { runtime: { name, version, apiVersion }, kubelet };
  const recording = await recordClientToFile({ cri, clock, file, keep, about, onFailure });
  atEnd(recording.close);
  return recording;
}

/** Resolves when the runtime answers. */
async function untilReady(connection: CriConnection, endpoint: string): Promise<void> {
  await connection.waitForReady(CONNECT_TIMEOUT).catch(async () => {
    throw new CriError(
      'unavailable',
      `no response from a runtime at ${endpoint} within ${CONNECT_TIMEOUT / 1000} s${await socketProblem(endpoint)}; start one, or correct --container-runtime-endpoint`,
    );
  });
}

/** Why a Unix socket refuses connections, if the system knows: ` (permission denied)`. */
function socketProblem(endpoint: string): Promise<string> {
  if (!endpoint.startsWith('unix:')) return Promise.resolve('');
  return new Promise((resolve) => {
    const socket = connect(endpoint.replace(/^unix:(\/\/)?/, ''));
    socket.once('connect', () => {
      socket.destroy();
      resolve('');
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(` (${SOCKET_PROBLEMS[code ?? ''] ?? code})`),
    );
  });
}

const SOCKET_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ECONNREFUSED: 'nothing listens on the socket',
  ENOENT: 'the socket does not exist',
};

async function serveReadOnly(
  { kubelet: { config } }: Settings,
  host: NodeHost,
  nodeName: string,
): Promise<() => unknown> {
  const { address, readOnlyPort: port } = config;
  const { pods, metrics } = host;
  const health = () => host.kubelet?.health();
  const hosts = [nodeName];
  const server = await startReadOnlyServer({ address, port, hosts, pods, metrics, health }).catch((error) => {
    throw new CriError(
      'unavailable',
      `--read-only-port: cannot listen on ${address}:${port} (${error.code})`,
    );
  });
  return () => server.close();
}

const reportOrphaned =
  (manifests: string) =>
  ({ namespace, name, uid }: PodIdentity) =>
    complain(
      `stopping pod ${namespace}/${name} (uid ${uid}): it is in the runtime, but no manifest in ${manifests} names it; --keep-orphaned-pods keeps such pods`,
    );
