import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock/clock.js';
import { type ClosableClock, createClosableClock } from '../../base/clock/closable-clock.js';
import { createPacedClock } from '../../base/clock/paced-clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { boundGarbage } from '../../base/host/heap.js';
import { type Account, openAccounts } from '../../base/input/account.js';
import { messageOf } from '../../base/input/error-text.js';
import { makeDirectory } from '../../base/input/make-directory.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { InputError } from '../../base/input/yaml.js';
import { createRealNetwork } from '../../base/network/real-network.js';
import { createRandom } from '../../base/random/random.js';
import { type ApiClient, createApiClient } from '../../cluster/api/api-client.js';
import { reachServer } from '../../cluster/api/contact.js';
import { inCluster } from '../../cluster/api/in-cluster.js';
import { type Connection, readKubeconfig, usualKubeconfig } from '../../cluster/api/kubeconfig.js';
import { createBehaviorRules } from '../../cluster/behaviors/rules.js';
import { accountForAll, createNodeIdentities } from '../../cluster/certificates/node-identities.js';
import { createSigner } from '../../cluster/certificates/signer.js';
import { type ClusterOptions, openCluster } from '../../cluster/cluster.js';
import { nodeControlRoutes } from '../../cluster/control-routes.js';
import { createNodeFaults } from '../../cluster/faults/node-faults.js';
import { nodeMetricsRoute } from '../../cluster/metrics.js';
import { recordNodes } from '../../cluster/record-nodes.js';
import type { KubeletSettings } from '../../kubelet/hosts/settings.js';
import { openApiRoute } from '../../runtime/control/openapi-route.js';
import type { Route } from '../../runtime/control/router.js';
import { startControl } from '../../runtime/control/server.js';
import { runtimeProfiles } from '../../runtime/profiles/index.js';
import { createNodeTapes } from '../../tape/node-tapes.js';
import { checkManifestPath, readKubeletSettings } from '../options/kubelet-settings.js';
import { type Running, untilStopped } from '../signals.js';
import { createLogger, logStop } from '../terminal/logger.js';
import { serveNodes } from './node/kubelet-server.js';
import { type NodeList, nodeList } from './node/node-list.js';
import { addNodeSettings, type NodeFlags, readNodeSettings } from './node/settings.js';
import { followFaultFiles } from './serve/fault-files.js';

const EXAMPLES = `
Examples:
  $ mockri node --kubeconfig ~/.kube/config
  $ mockri node --kubeconfig admin.conf --nodes 100 --name 'mock-{n}' --capacity cpu=32,memory=128Gi
  $ mockri node --kubeconfig admin.conf --nodes 3 --record nodes.tape.gz   # then: mockri tape show nodes.tape.gz
  $ mockri node --nodes 50 --replica "$POD_NAME" --taints mockri.dev/node=mock:NoSchedule

It registers the nodes, runs the pods that the cluster binds to them in this process, and prints one line of JSON
when the first node is registered. SIGTERM or Ctrl-C ends it: the nodes stay in the cluster and become NotReady.
`;

/** `mockri node`: nodes of a real cluster, each a simulated runtime and a thin kubelet. */
export function nodeCommand(): Command {
  return addNodeSettings(
    new Command('node').description('add simulated nodes to a Kubernetes cluster, hundreds in one process'),
  )
    .addHelpText('after', EXAMPLES)
    .action((flags) => runNodes(readNodeSettings(flags, process.env)));
}

async function runNodes(flags: NodeFlags): Promise<void> {
  boundGarbage();
  const log = await createLogger({ level: flags['log-level'], format: flags['log-format'] });
  for (const each of flags.withoutEffect) log.warn(each);
  await untilStopped(
    async ({ stopped, atEnd }) => {
      const { about, registered, failed } = await start(flags, log, atEnd);
      const isReady = flags.wait ? registered.then(() => true) : true;
      if (await Promise.race([stopped.then(() => false), failed, isReady])) {
        process.stdout.write(`${JSON.stringify({ ready: true, ...about, pid: process.pid })}\n`);
        await Promise.race([stopped, failed]);
      }
    },
    { withStdin: flags['exit-with-stdin'], onStop: logStop(log) },
  );
  log.info('stopped');
}

interface Started {
  readonly about: object;
  /** Resolves when the API server has the first node, and the kubelet server its certificate. */
  readonly registered: Promise<unknown>;
  /** Rejects when the API server will never have a node. */
  readonly failed: Promise<never>;
}

async function start(flags: NodeFlags, log: Logger, atEnd: Running['atEnd']): Promise<Started> {
  const clock = createClosableClock(createRealClock());
  atEnd(clock.close);
  const nodesClock = nodesClockOf(flags, clock, log);
  atEnd(nodesClock.close);
  const accounts = openAccounts(flags['memory-limit']);
  const warn = (message: string) => log.warn(message);
  const connection = connectionOf(flags, clock);
  const kubelet = readKubeletSettings(
    {
      version: flags['kubelet-version'],
      gates: flags['feature-gates'],
      file: flags['kubelet-config'],
      option: '--kubelet-config',
    },
    warn,
  );
  const listed = nodeList(flags, manifestPath(flags, kubelet));
  const root = await rootDirectory(flags['root-dir'], atEnd);
  const { parts, random, identities, server, nodes } = await connectNodes(flags, listed, {
    connection,
    clock,
    warn,
    atEnd,
  });
  const api = parts.account;
  const tapes = createNodeTapes(nodesClock);
  const behaviors = createBehaviorRules();
  const cluster = await openNodes(flags, log, {
    ...{ connection, api, identities, random, nodes, root, kubelet, accounts, behaviors, tapes },
    ...{ clock: nodesClock, apiClock: clock },
  });
  const { recorder, partOf } = recordNodes({
    tapes,
    nodes: cluster.nodes,
    about: {
      profile: flags.profile,
      kubelet: flags['kubelet-version'],
    },
    onFailure: (message) => log.error(message),
  });
  // Ends last, so that the tape has the end of every call.
  atEnd(() => recorder.stop());
  atEnd(() => cluster.close());
  if (flags.record !== undefined) await recorder.start(flags.record, { keep: flags.keep, held: true });
  await cluster.start();
  for (const { name, settings } of nodes) {
    const node = cluster.nodes.get(name);
    if (node !== undefined) server.serve(settings.port, node);
  }
  const faults = createNodeFaults(cluster.nodes, nodesClock);
  atEnd(followFaultFiles(flags.faults, { faults: { registry: faults }, clock, log, seed: flags.seed }));
  const routes = [
    ...nodeControlRoutes({
      nodes: cluster.nodes,
      faults,
      behaviors,
      clock: nodesClock,
      recorder,
      partOf,
      log: warn,
    }),
    nodeMetricsRoute(cluster, api),
  ];
  const control = await startNodeControl(flags, accounts.control, warn, [...routes, openApiRoute(routes)]);
  if (control !== undefined) atEnd(control.close);
  recorder.current?.release();
  const [first, last] = [nodes[0]?.name, nodes.at(-1)?.name];
  log.info({ server: connection.server.href, nodes: nodes.length, first, last }, 'kubelets run');
  const url = control?.url ?? null;
  const reached = reachServer({ ...parts, api, server: connection.server });
  const registered = cluster.registered.then(() =>
    Promise.race([server.certified, clock.sleep(CERTIFICATE_PATIENCE)]),
  );
  registered.catch(() => {});
  return {
    about: { server: connection.server.href, nodes: nodes.length, first, last, control: url },
    registered,
    failed: Promise.all([reached, cluster.registered]).then(() => new Promise<never>(() => {})),
  };
}

type Given = 'accounts' | 'apiClock' | 'behaviors' | 'clock' | 'identities' | 'kubelet' | 'nodes';

interface OpenNodes extends Pick<ClusterOptions, Given | 'random' | 'root' | 'tapes'> {
  readonly connection: Connection;
  readonly api: ApiClient;
}

/** What the flags say about the nodes, their runtimes and their pods. */
const openNodes = (flags: NodeFlags, log: Logger, { connection, api, ...given }: OpenNodes) =>
  openCluster({
    ...given,
    ...(flags['service-account-tokens'] === 'local' && { tokenCa: connection.ca ?? '' }),
    ...((flags.bind || flags.collect) && {
      standIns: { account: api, binds: flags.bind, collects: flags.collect },
    }),
    keepsFiles: flags['root-dir'] !== undefined,
    memory: {
      behaviors: flags.behaviors.map(({ match, behavior }) => ({ match, behaviors: behavior })),
      pulls: flags.images,
      presentImages: flags['present-images'],
      pullLatency: flags['pull-latency'],
      unknownImages: flags['unknown-images'],
    },
    realNetwork: createRealNetwork(flags['real-network']),
    runtimeProfile: runtimeProfiles[flags.profile],
    log: (message) => log.warn(message),
    ...(log.isLevelEnabled('debug') && { detail: (node, message) => log.debug({ node }, message) }),
  });

interface Connecting {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly atEnd: Running['atEnd'];
}

/** Connects the nodes and the API server in both directions: their users, and the server of their kubelets. */
async function connectNodes(
  flags: NodeFlags,
  listed: NodeList,
  { connection, clock, warn, atEnd }: Connecting,
) {
  const limits = { qps: flags['kube-api-qps'], burst: flags['kube-api-burst'], inFlight: IN_FLIGHT };
  const api = createApiClient(connection, limits, clock);
  atEnd(() => api.close());
  const random = createRandom(flags.seed ?? String(clock.now()));
  const stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  atEnd(() => stopped.abort(new Error('the nodes have stopped')));
  const parts = { account: api, clock, signal: stopped.signal, log: warn };
  const signer = createSigner({ ...parts, random: random.fork('signer') });
  const identities =
    flags.identity === 'node'
      ? createNodeIdentities({ ...parts, signer, random: random.fork('identities') })
      : accountForAll(api, listed[0]?.name ?? '');
  const { server, nodes } = await serveNodes(flags, listed, { ...parts, identities, signer });
  atEnd(() => server.close());
  return { parts, random, identities, server, nodes };
}

function nodesClockOf(
  { clock, 'real-network': real }: NodeFlags,
  machine: ClosableClock,
  log: Logger,
): ClosableClock {
  if (clock === 'real') return machine;
  if (real.length > 0)
    throw new InputError(['--real-network needs --clock real: other machines have real time only']);
  const stood = (error: unknown) => log.warn(`--clock: ${messageOf(error)}`);
  return createPacedClock({ speed: Number(clock.slice('fast:'.length)), machine, stood });
}

/** In ms: how long the ready line waits for the kubelet server's certificate. */
const CERTIFICATE_PATIENCE = 10_000;

/** The API server that kubectl would use; in a pod, that of its cluster. */
function connectionOf({ kubeconfig, context }: NodeFlags, clock: Clock): Connection {
  const files = kubeconfig === undefined ? usualKubeconfig(process.env, homedir()) : [kubeconfig];
  return files.length === 0 ? inCluster(process.env, clock) : readKubeconfig(files, context, clock);
}

async function startNodeControl(
  flags: NodeFlags,
  account: Account,
  warn: (message: string) => void,
  routes: readonly Route[],
) {
  if (flags.control === 'off') return undefined;
  return startControl({
    listen: flags.control,
    allowRemote: flags['control-allow-remote'],
    hosts: flags['control-host'],
    routes,
    account,
    onDefect: (error) => warn(`unexpected error in the control API: ${String(error)}`),
  });
}

const IN_FLIGHT = 50;

async function rootDirectory(given: string | undefined, atEnd: Running['atEnd']): Promise<string> {
  if (given !== undefined) {
    await makeDirectory(resolve(given));
    return resolve(given);
  }
  const directory = makeTemporaryDirectory('mockri-node-');
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Path of static pods; undefined without any. */
function manifestPath(flags: NodeFlags, { config }: KubeletSettings): string | undefined {
  const path = flags['pod-manifest-path'] ?? config.staticPodPath;
  const from = flags['pod-manifest-path'] === undefined ? 'staticPodPath' : '--pod-manifest-path';
  if (path !== '' && !path.includes('{n}')) checkManifestPath(path, from);
  return path || undefined;
}
