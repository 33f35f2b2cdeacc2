import { rmSync, writeFileSync } from 'node:fs';
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
import { createProgram, type Program } from './control/program.js';
import type { ClusterPrograms } from './control/programs.js';
import { openThinNodes, type ThinNodes } from './control/thin-nodes.js';
import { type ClusterScenario, nodeNames } from './file/schema.js';
import { type ApiRequest, isWrite } from './proxy/api-request.js';
import { type Applied, createFaultRules, type FaultRules } from './proxy/fault-rules.js';
import { openProxy } from './proxy/proxy.js';

/** What happens in a cluster. */
export interface ClusterReports {
  said(program: string, line: string): void;
  called(program: string, seen: ApiRequest, status: number | undefined): void;
  applied(program: string, seen: ApiRequest, applied: Applied): void;
  ended(program: string, how: string): void;
  /** A write that begins, or an event of a watch, after `begin`. */
  seen?(program: string, seen: ApiRequest): void;
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
  const programs = new Map<string, Program>();
  const proxies: ClockedServer[] = [];
  let nodes: ThinNodes | undefined;
  let begun = Number.POSITIVE_INFINITY;
  const elapsed = () => clock.elapsed() - begun;
  const [port = 0] = await freePorts(1);
  const names = nodeNames(cluster);
  const user = (program: string) => userOf(program, names);
  const users = new Map([
    [ADMIN, 'system:masters'],
    [user(CONTROLLERS), ''],
    [user(SCHEDULER), ''],
    ...names.map((name) => [user(name), 'system:nodes'] as const),
    ...[...own.keys()].map((name) => [name, 'system:masters'] as const),
  ]);
  const credentials = writeCredentials(join(directory, 'pki'), clock, users);
  const places: ControlPlanePlaces = { directory, port, credentials };
  const upstream = { port, ca: credentials.ca };
  const api = openApi(clock, upstream, credentials.tokenOf(ADMIN));

  const add = (name: string, path: string, args: readonly string[], url?: string, ahead = 0): Program => {
    const program = createProgram({
      ...{ clock, name, path, args, url, directory, ahead },
      seed: 100 * (100 * seed + programs.size),
      said: (line) => reports.said(name, line),
      ended: (how) => reports.ended(name, how),
    });
    programs.set(name, program);
    return program;
  };
  /** Address of the API server for one program. */
  const proxyFor = async (name: string): Promise<string> => {
    const proxy = await openProxy({
      ...{ clock, upstream, elapsed },
      token: credentials.tokenOf(user(name)),
      rules: observed(createFaultRules(faults, name), reports.seen && ((seen) => reports.seen?.(name, seen))),
      answered: (seen, status) => reports.called(name, seen, status),
      applied: (seen, applied) => reports.applied(name, seen, applied),
      killed: () =>
        void programs
          .get(name)
          ?.kill()
          .then(() => programs.get(name)?.start()),
      paused: (duration) => programs.get(name)?.pause?.(duration),
    });
    proxies.push(proxy);
    return proxy.url;
  };
  const argsOf = (name: keyof typeof control, args: readonly string[]) => [
    ...args,
    ...(cluster.args[name] ?? []),
  ];
  const close = async () => {
    api.close();
    await nodes?.close();
    for (const program of [...programs.values()].reverse()) await program.kill();
    for (const proxy of proxies) proxy.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    add('etcd', control.etcd, argsOf('etcd', etcdArgs(places))).start();
    await clock.advance(ETCD_START);
    add('kube-apiserver', control['kube-apiserver'], argsOf('kube-apiserver', apiServerArgs(places))).start();
    await untilAnswered(clock, () => api.send({ method: 'GET', path: '/readyz' }));
    const controllers = argsOf(CONTROLLERS, controllersArgs(places));
    add(CONTROLLERS, control[CONTROLLERS], controllers, await proxyFor(CONTROLLERS)).start();
    // Pods are refused before the controllers have created it.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await untilAnswered(clock, () => api.send({ method: 'GET', path: account }));
    const scheduler = control[SCHEDULER];
    if (scheduler !== undefined) {
      add(SCHEDULER, scheduler, argsOf(SCHEDULER, schedulerArgs), await proxyFor(SCHEDULER)).start();
      const urls = new Map<string, string>();
      for (const name of names) urls.set(name, await proxyFor(name));
      const { said } = reports;
      nodes = await openThinNodes({ clock, urls, version: cluster.kubernetes, seed, directory, said });
      for (const [name, each] of nodes.programs) programs.set(name, each);
      void clock.run(nodes.start);
      await untilAnswered(clock, () => demandReady(api, names.length));
    }
    for (const { name, args, ahead } of cluster.programs)
      add(name, own.get(name) ?? '', args, await proxyFor(name), ahead);
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
      writeFileSync(file, kubeconfig(await proxyFor(ADMIN)), { mode: 0o600 });
      return file;
    },
  };
}

/** Rules that report each write and event after the start. */
function observed(rules: FaultRules, tell: ((seen: ApiRequest) => void) | undefined): FaultRules {
  if (tell === undefined) return rules;
  return {
    watches: () => true,
    request: (seen, elapsed) => {
      if (elapsed >= 0 && isWrite(seen.verb)) tell(seen);
      return rules.request(seen, elapsed);
    },
    event: (seen, elapsed) => {
      if (elapsed >= 0) tell(seen);
      return rules.event(seen, elapsed);
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
