import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockedServer } from '../../base/clock/network/http-server.js';
import { createVirtualClock, type VirtualClock } from '../../base/clock/virtual-clock.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { UserError } from '../../base/input/user-error.js';
import type { Json } from '../../kubelet/api-server/json.js';
import { freePorts } from '../../kubelet/hosts/program/free-ports.js';
import { kubeconfig } from '../../kubelet/hosts/virtual/program-config.js';
import { type Api, ApiRefusal, openApi } from './control/api.js';
import {
  ADMIN,
  apiServerArgs,
  CONTROLLERS,
  type ControlPlanePlaces,
  controllersArgs,
  etcdArgs,
  SCHEDULER,
  schedulerArgs,
  userOf,
} from './control/commands.js';
import { writeCredentials } from './control/credentials.js';
import { openEgress } from './control/egress.js';
import { createProgram, type Program } from './control/program.js';
import type { ClusterPrograms } from './control/programs.js';
import { openThinNodes, type ThinNodes } from './control/thin-nodes.js';
import { type ClusterScenario, nodeNames, type ProgramEntry } from './file/schema.js';
import type { ApiRequest } from './proxy/api-request.js';
import { type Applied, createFaultRules } from './proxy/fault-rules.js';
import { History } from './proxy/history.js';
import { openProxy, type ProxyOptions } from './proxy/proxy.js';
import { View } from './proxy/view.js';

/** What happens in a cluster. */
export interface ClusterReports {
  said(program: string, line: string): void;
  called(program: string, ...answer: Parameters<ProxyOptions['answered']>): void;
  applied(program: string, seen: ApiRequest, applied: Applied): void;
  ended(program: string, how: string): void;
  /** A write that begins, or an event of a watch, after `begin`. */
  readonly seen?: (program: string, seen: ApiRequest) => void;
  /** Whether writes are reported with what the program had not been shown. */
  readonly explain?: boolean;
}

export interface OpenCluster {
  readonly clock: VirtualClock;
  readonly api: Api;
  readonly programs: ReadonlyMap<string, Program>;
  /** Times of faults count from here on. */
  begin(): void;
  /** ms since `begin`; -Infinity before. */
  elapsed(): number;
  /** Opens the API server for a user. Resolves with the path of a kubeconfig with all rights. */
  admit(): Promise<string>;
  close(): Promise<void>;
}

/** Virtual time until etcd serves, in ms. */
const ETCD_START = 3000;
/** Directories that any Linux has and programs don't need: there they find their files, at the same path in every run. */
const PLACES: readonly string[] = ['/mnt', '/srv', '/media'];
/** Longest virtual time until the API server and the controllers are ready, in ms. */
const MOST_START = 120_000;

/** Starts the control plane. The scenario's own programs are not started yet. */
export async function openCluster(
  { cluster, faults, seed }: ClusterScenario,
  { control, own }: ClusterPrograms,
  reports: ClusterReports,
): Promise<OpenCluster> {
  const clock = createVirtualClock();
  const directory = makeTemporaryDirectory('mockri-cluster-');
  const files = [directory, ...Object.values(control), ...own.values()];
  const isFree = (place: string) => existsSync(place) && !files.some((file) => file.startsWith(`${place}/`));
  const place = PLACES.find(isFree) ?? directory;
  const programs = new Map<string, Program>();
  let nodes: ThinNodes | undefined;
  let begun = Number.POSITIVE_INFINITY;
  const elapsed = () => clock.elapsed() - begun;
  const [port = 0] = await freePorts(1);
  const names = nodeNames(cluster);
  const credentials = writeCredentials(join(directory, 'pki'), clock, usersOf(names, own.keys()));
  const egress = await openEgress(clock, { directory, place }, (address) => nodes?.reach(address));
  const places: ControlPlanePlaces = { directory: place, port, credentials, egress: egress.file };
  const upstream = { port, ca: credentials.ca };
  const api = openApi(clock, upstream, credentials.tokenOf(ADMIN));

  const add = (
    name: string,
    path: string,
    args: readonly string[],
    url?: string,
    own: Pick<ProgramEntry, 'ahead' | 'env'> = { ahead: 0, env: {} },
  ): Program => {
    const program = createProgram({
      ...{ clock, name, path, args, url, directory, place, ...own },
      seed: 100 * (100 * seed + programs.size),
      said: (line) => reports.said(name, line),
      ended: (how) => reports.ended(name, how),
    });
    programs.set(name, program);
    return program;
  };
  const proxies = createProxies({
    ...{ clock, upstream, elapsed, faults, reports },
    tokenOf: (name) => credentials.tokenOf(userOf(name, names)),
    programOf: (name) => programs.get(name),
  });
  const argsOf = (name: keyof typeof control, args: readonly string[]) => [
    ...args,
    ...(cluster.args[name] ?? []),
  ];
  const close = async () => {
    api.close();
    await nodes?.close();
    for (const program of [...programs.values()].reverse()) await program.kill();
    proxies.close();
    egress.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    add('etcd', control.etcd, argsOf('etcd', etcdArgs(places))).start();
    await clock.advance(ETCD_START);
    add('kube-apiserver', control['kube-apiserver'], argsOf('kube-apiserver', apiServerArgs(places))).start();
    await untilAnswered(clock, () => api.send({ method: 'GET', path: '/readyz' }));
    const controllers = argsOf(CONTROLLERS, controllersArgs(places));
    add(CONTROLLERS, control[CONTROLLERS], controllers, await proxies.open(CONTROLLERS)).start();
    // Pods are refused before the controllers have created it.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await untilAnswered(clock, () => api.send({ method: 'GET', path: account }));
    const scheduler = control[SCHEDULER];
    if (scheduler !== undefined) {
      add(SCHEDULER, scheduler, argsOf(SCHEDULER, schedulerArgs), await proxies.open(SCHEDULER)).start();
      const urls = new Map<string, string>();
      for (const name of names) urls.set(name, await proxies.open(name));
      const { said } = reports;
      const tls = { cert: credentials.ca, key: credentials.key };
      nodes = await openThinNodes({ clock, urls, version: cluster.kubernetes, seed, directory, tls, said });
      for (const [name, each] of nodes.programs) programs.set(name, each);
      void clock.run(nodes.start);
      await untilAnswered(clock, () => demandReady(api, names.length));
    }
    for (const { name, args, ahead, env } of cluster.programs)
      add(name, own.get(name) ?? '', args, await proxies.open(name), { ahead, env });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ clock, api, programs, elapsed, close },
    begin: () => {
      begun = clock.elapsed();
    },
    admit: async () => {
      const file = join(directory, 'kubeconfig');
      writeFileSync(file, kubeconfig(await proxies.open(ADMIN)), { mode: 0o600 });
      return file;
    },
  };
}

/** The groups of all users. */
const usersOf = (nodes: readonly string[], own: Iterable<string>): Map<string, string> =>
  new Map([
    [ADMIN, 'system:masters'],
    [userOf(CONTROLLERS, nodes), ''],
    [userOf(SCHEDULER, nodes), ''],
    ...nodes.map((name) => [userOf(name, nodes), 'system:nodes'] as const),
    ...[...own].map((name) => [name, 'system:masters'] as const),
  ]);

interface ProxiesOptions extends Pick<ProxyOptions, 'clock' | 'upstream' | 'elapsed'> {
  readonly faults: ClusterScenario['faults'];
  readonly reports: ClusterReports;
  readonly tokenOf: (program: string) => string;
  readonly programOf: (name: string) => Program | undefined;
}

/** What stands between each program and the API server, and carries out the faults. */
function createProxies({ faults, reports, tokenOf, programOf, ...shared }: ProxiesOptions) {
  const opened: ClockedServer[] = [];
  const { seen: tell } = reports;
  const history = faults.some(({ then }) => then.stale !== undefined) ? new History() : undefined;
  return {
    /** Resolves with the address of the API server for one program. */
    open: async (name: string): Promise<string> => {
      const proxy = await openProxy({
        ...shared,
        token: tokenOf(name),
        rules: createFaultRules(faults, name),
        seen: tell && ((seen) => shared.elapsed() >= 0 && tell(name, seen)),
        ...(reports.explain && { view: new View() }),
        ...(history && { history }),
        answered: (...answer) => reports.called(name, ...answer),
        applied: (seen, applied) => reports.applied(name, seen, applied),
        killed: () =>
          void programOf(name)
            ?.kill()
            .then(() => programOf(name)?.start()),
        paused: (duration) => programOf(name)?.pause?.(duration),
      });
      opened.push(proxy);
      return proxy.url;
    },
    close: () => {
      for (const proxy of opened) proxy.close();
    },
  };
}

/** Throws ApiRefusal unless this many nodes take pods. */
async function demandReady(api: Api, wanted: number): Promise<void> {
  const { items } = await api.send({ method: 'GET', path: '/api/v1/nodes' });
  const ready = items.filter(
    ({ spec, status }: Json) =>
      spec.taints === undefined &&
      status.conditions?.some((each: Json) => each.type === 'Ready' && each.status === 'True'),
  );
  if (ready.length < wanted) throw new ApiRefusal(`${ready.length} of ${wanted} nodes are ready`);
}

/** Asks once a virtual second. Throws UserError when nothing answers. */
async function untilAnswered(clock: VirtualClock, ask: () => Promise<unknown>): Promise<void> {
  for (const limit = clock.elapsed() + MOST_START; ; ) {
    await clock.advance(1000);
    try {
      await ask();
      return;
    } catch (error) {
      if (clock.elapsed() < limit) continue;
      throw error instanceof ApiRefusal
        ? new UserError(`the control plane is not ready: ${error.message}`)
        : error;
    }
  }
}
