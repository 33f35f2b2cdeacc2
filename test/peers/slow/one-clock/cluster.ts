// The programs of a cluster, each a process on one virtual clock.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import { createVirtualClock, type VirtualClock } from '../../../../src/base/clock/virtual-clock.js';
import { idsFrom } from '../../../../src/base/random/ids.js';
import { createRandom } from '../../../../src/base/random/random.js';
import { freePorts } from '../../../../src/kubelet/hosts/program/free-ports.js';
import { removeMounted } from '../../../../src/kubelet/hosts/program/guarded-process.js';
import { type ClockedProgram, startOnClock } from '../../../../src/kubelet/hosts/virtual/clocked-program.js';
import { kubeletCommand, runtimeSocket } from '../../../../src/kubelet/hosts/virtual/kubelet-command.js';
import { assemble } from '../../../../src/runtime/assembly/assembly.js';
import { openRuntime } from '../../../../src/runtime/assembly/origin.js';
import { runtimeProfiles } from '../../../../src/runtime/profiles/index.js';
import { type Api, openApi } from './api.js';

const CONTROL_PLANE = new URL('../../programs/kubernetes/control-plane.sh', import.meta.url).pathname;

export interface ClusterOptions {
  /** Has the certificates after the first cluster in it. */
  readonly directory: string;
  /** A directory with the programs of a control plane. */
  readonly programs: string;
  readonly kubelet: string;
  readonly nodes: readonly string[];
  /** Unix nanoseconds: the certificates must be valid then. */
  readonly start: bigint;
}

/** A cluster with ready nodes. */
export interface Cluster {
  readonly clock: VirtualClock;
  readonly api: Api;
  /** Ends a program as SIGKILL does. */
  kill(name: string): Promise<void>;
  close(): Promise<void>;
}

/** `control-plane.sh`, which creates the certificates and sets the flags. */
const script = (...args: string[]) => execFileSync('bash', [CONTROL_PLANE, ...args], { encoding: 'utf8' });

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { directory, programs, kubelet, nodes } = options;
  const clock = createVirtualClock({ start: options.start });
  const running = new Map<string, ClockedProgram>();
  const closing: (() => unknown)[] = [];
  const commands = commandsOf(directory);
  rmSync(join(directory, 'etcd'), { recursive: true, force: true });

  const placeOf = (name: string): string => {
    const place = join(directory, `${name}.place`);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    return place;
  };
  const run = (name: string, place: string, command: readonly string[]): void => {
    const log = join(directory, `${name}.log`);
    writeFileSync(log, '');
    const failed = (what: string) => {
      throw new Error(`${name} ${what}:\n${readFileSync(log, 'utf8').slice(-3000)}`);
    };
    const seed = running.size + 1;
    const ended = (code: string) => failed(`has ended with ${code}`);
    const stuck = () => failed('does not wait');
    const said = () => {};
    running.set(name, startOnClock({ clock, seed, command, directory: place, log, said, ended, stuck }));
  };
  const runControl = (name: string): void => {
    const [, ...flags] = commands.find(([program]) => program === name) ?? [];
    run(name, placeOf(name), [join(programs, name), ...flags]);
  };
  const runNode = async (name: string): Promise<void> => {
    const place = placeOf(name);
    closing.push(await listen(runtimeSocket(place), clock, name), () => removeMounted(place));
    script('user', directory, name, `/O=system:nodes/CN=system:node:${name}`);
    const [port = 0, readOnlyPort = 0] = await freePorts(2);
    const parts = { clock, program: kubelet, directory: place, nodeName: name, port, readOnlyPort };
    const kubeconfig = readFileSync(join(directory, `${name}.kubeconfig`), 'utf8');
    run(name, place, kubeletCommand({ ...parts, gates: {}, config: {} }, kubeconfig));
  };

  runControl('etcd');
  await clock.advance(3000);
  runControl('kube-apiserver');
  const api = openApi({ clock, ...identity(directory, commands) });
  for (let status = 0; status !== 200; ) {
    await clock.advance(1000);
    status = await api.until(api.ask('GET', '/readyz')).catch(() => 0);
  }
  runControl('kube-controller-manager');
  runControl('kube-scheduler');
  for (const name of nodes) await runNode(name);
  return {
    clock,
    api,
    kill: async (name) => running.get(name)?.kill(),
    close: async () => {
      api.close();
      for (const program of [...running.values()].reverse()) await program.kill();
      for (const close of closing) await close();
    },
  };
}

/** The command of each program of the control plane. */
const commandsOf = (directory: string): string[][] =>
  script('commands', directory)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The API server's address, and an identity with all rights. */
function identity(directory: string, commands: readonly string[][]) {
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) =>
    readFileSync(join(directory, 'pki', name)),
  ) as [Buffer, Buffer, Buffer];
  const port = /--secure-port (\d+)/.exec(commands.flat().join(' '))?.[1] ?? '';
  return { port, ca, cert, key };
}

/** Serves the runtime of a node; the returned function ends it. */
async function listen(socket: string, clock: VirtualClock, node: string): Promise<() => Promise<void>> {
  const warn = (message: string) => console.error(`${node}: ${message}`);
  const newId = idsFrom(createRandom(node));
  const profile = runtimeProfiles['containerd-2.4'];
  const origin = await openRuntime({ backend: createMemoryBackend({ clock }), profile, clock, newId, warn });
  const assembly = assemble(origin, { clock, warn });
  await assembly.serve({ listen: socket });
  return () => assembly.close(0);
}
