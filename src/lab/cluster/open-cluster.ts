import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createVirtualClock, type VirtualClock } from '../../base/clock/virtual-clock.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { UserError } from '../../base/input/user-error.js';
import { freePorts } from '../../kubelet/hosts/program/free-ports.js';
import { type Api, ApiRefusal, openApi } from './control/api.js';
import {
  ADMIN,
  apiServerArgs,
  CONTROLLERS,
  type ControlPlanePlaces,
  controllersArgs,
  etcdArgs,
  userOf,
} from './control/commands.js';
import { tokenOf, writeCredentials } from './control/credentials.js';
import { createProgram, type Program } from './control/program.js';
import type { ClusterPrograms } from './control/programs.js';
import type { ClusterScenario } from './file/schema.js';
import type { ApiRequest } from './proxy/api-request.js';
import { type Applied, createFaultRules } from './proxy/fault-rules.js';
import { type ApiProxy, openProxy } from './proxy/proxy.js';

/** What happens in a cluster. */
export interface ClusterReports {
  said(program: string, line: string): void;
  called(program: string, seen: ApiRequest, status: number | undefined): void;
  applied(program: string, seen: ApiRequest, applied: Applied): void;
  ended(program: string, how: string): void;
}

export interface OpenCluster {
  readonly clock: VirtualClock;
  readonly api: Api;
  readonly programs: ReadonlyMap<string, Program>;
  /** Times of faults count from here on. */
  begin(): void;
  /** ms since `begin`; -Infinity before. */
  elapsed(): number;
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
  const proxies: ApiProxy[] = [];
  let begun = Number.POSITIVE_INFINITY;
  const elapsed = () => clock.elapsed() - begun;
  const [client = 0, peer = 0, port = 0] = await freePorts(3);
  const users = new Map([
    [ADMIN, 'system:masters'],
    [userOf(CONTROLLERS), ''],
    ...[...own.keys()].map((name) => [name, 'system:masters'] as const),
  ]);
  const credentials = writeCredentials(join(directory, 'pki'), clock, users);
  const places: ControlPlanePlaces = { directory, ports: { client, peer, api: port }, credentials };
  const upstream = { port, ca: credentials.ca };
  const api = openApi(clock, upstream, tokenOf(ADMIN));

  const add = (name: string, path: string, args: readonly string[], url?: string): Program => {
    const program = createProgram({
      ...{ clock, name, path, args, url, directory },
      seed: 100 * (100 * seed + programs.size),
      said: (line) => reports.said(name, line),
      ended: (how) => reports.ended(name, how),
    });
    programs.set(name, program);
    return program;
  };
  /** A program that calls the API server through a proxy. */
  const addClient = async (name: string, path: string, args: readonly string[]): Promise<Program> => {
    const proxy = await openProxy({
      ...{ clock, upstream, elapsed },
      token: tokenOf(userOf(name)),
      rules: createFaultRules(faults, name),
      answered: (seen, status) => reports.called(name, seen, status),
      applied: (seen, applied) => reports.applied(name, seen, applied),
      killed: () =>
        void programs
          .get(name)
          ?.kill()
          .then(() => programs.get(name)?.start()),
    });
    proxies.push(proxy);
    return add(name, path, args, proxy.url);
  };
  const argsOf = (name: keyof typeof control, args: readonly string[]) => [
    ...args,
    ...(cluster.args[name] ?? []),
  ];
  const close = async () => {
    api.close();
    for (const program of [...programs.values()].reverse()) await program.kill();
    for (const proxy of proxies) proxy.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    add('etcd', control.etcd, argsOf('etcd', etcdArgs(places))).start();
    await clock.advance(ETCD_START);
    add('kube-apiserver', control['kube-apiserver'], argsOf('kube-apiserver', apiServerArgs(places))).start();
    await untilAnswered(clock, () => api.send({ method: 'GET', path: '/readyz' }));
    (
      await addClient(CONTROLLERS, control[CONTROLLERS], argsOf(CONTROLLERS, controllersArgs(places)))
    ).start();
    // Pods are refused before the controllers have created it.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await untilAnswered(clock, () => api.send({ method: 'GET', path: account }));
    for (const { name, args } of cluster.programs) await addClient(name, own.get(name) ?? '', args);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ clock, api, programs, elapsed, close },
    begin: () => {
      begun = clock.elapsed();
    },
  };
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
