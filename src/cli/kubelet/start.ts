import type { Clock } from '../../clock/clock.js';
import { createRealClock } from '../../clock/real-clock.js';
import { type CriConnection, connectCri } from '../../cri/client/connect.js';
import { CriError } from '../../cri/errors.js';
import { createNodeFiles } from '../../kubelet/disk/node-files.js';
import { startReadOnlyServer } from '../../kubelet/http/read-only-server.js';
import { createKubelet, type Kubelet } from '../../kubelet/kubelet.js';
import { createKubeletMetrics } from '../../kubelet/metrics/metrics.js';
import { createGivenPods } from '../../kubelet/pods/given-pods.js';
import { watchManifests } from '../../kubelet/pods/manifest-source.js';
import type { Pod } from '../../kubelet/types.js';
import { createRandom } from '../../random/random.js';
import { complain } from './complain.js';
import { recordKubelet } from './recording.js';
import { createReports } from './reports.js';
import { type Flags, readSettings, type Settings } from './settings.js';

/** Timeout of the first connection (ms). */
const CONNECT_TIMEOUT = 10_000;

/** Takes cleanup functions, which run in reverse order. */
type AtEnd = (cleanUp: () => unknown) => void;

/** Starts all parts; those that can fail come first. */
export async function startKubelet(flags: Flags, atEnd: AtEnd): Promise<void> {
  const settings = await readSettings(flags);
  const { rootDir, podLogsDir } = settings;
  const { config, profile } = settings.kubelet;
  const clock = createRealClock();
  const connection = await connect(settings.endpoint, clock, atEnd);
  const pods = createGivenPods();
  const { cri, tape, close } = await recordKubelet({
    cri: connection,
    clock,
    file: flags.record,
    keep: flags.keep,
    kubelet: flags.kubeletVersion,
    podOf: (name) => identityOf(pods.all, name),
    onFailure: (message) => complain(`mockri: ${message}`),
  });
  atEnd(close);
  const metrics = createKubeletMetrics(profile.minor);
  const kubelet = createKubelet({
    cri,
    clock,
    random: createRandom(String(clock.now())),
    profile,
    config,
    podSource: pods,
    files: createNodeFiles({ rootDir, podLogsDir }),
    metrics: metrics.pleg,
    ...createReports(flags, tape, clock),
    foreignPods: { keep: flags.keepForeignPods, onStop: complainOfForeign(settings.manifests) },
  });
  if (config.readOnlyPort !== 0) atEnd(await serveReadOnly(settings, kubelet, metrics));
  const source = await watchManifests({
    path: settings.manifests,
    nodeName: flags.hostnameOverride.trim().toLowerCase(),
    clock,
    mayReferToApi: !profile.gates.PreventStaticPodAPIReferences,
    period: config.fileCheckFrequency,
    onPods: pods.set,
    onProblem: complain,
  });
  atEnd(() => source.close());
  atEnd(() => kubelet.stop());
  await kubelet.start();
}

/** What the tape shows of a pod. */
function identityOf(pods: readonly Pod[], name: string) {
  const { namespace = 'default', uid } = pods.find(({ metadata }) => metadata.name === name)?.metadata ?? {};
  return { name, namespace, ...(uid !== undefined && { uid }) };
}

/** Connects to a runtime that answers. */
async function connect(endpoint: string, clock: Clock, atEnd: AtEnd): Promise<CriConnection> {
  const connection = connectCri(endpoint, { clock });
  atEnd(() => connection.close());
  await connection.waitForReady(CONNECT_TIMEOUT).catch(() => {
    throw new CriError(
      'unavailable',
      `no response from a runtime at ${endpoint} within ${CONNECT_TIMEOUT / 1000} s; start one, or correct --container-runtime-endpoint`,
    );
  });
  return connection;
}

/** Serves the read-only port; answers how to stop. */
async function serveReadOnly(
  {
    kubelet: {
      config: { address, readOnlyPort: port },
    },
  }: Settings,
  kubelet: Kubelet,
  metrics: ReturnType<typeof createKubeletMetrics>,
): Promise<() => unknown> {
  const { pods, syncLoopHealth: health } = kubelet;
  const server = await startReadOnlyServer({ address, port, pods, metrics, health }).catch((error) => {
    throw new CriError(
      'unavailable',
      `--read-only-port: cannot listen on ${address}:${port} (${error.code})`,
    );
  });
  return () => server.close();
}

const complainOfForeign =
  (manifests: string) =>
  ({ namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string }) =>
    complain(
      `stopping pod ${namespace}/${name} (uid ${uid}): the runtime has it, but no manifest in ${manifests} names it; --keep-foreign-pods leaves such pods alone`,
    );
