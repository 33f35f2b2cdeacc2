import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CriConnection, connectCri } from '../../../src/cri/client/connect.js';
import { ContainerEventType } from '../../../src/cri/gen/runtime/v1/api.js';
import { commandLine } from '../program.js';

/** A runtime and its kubelets as separate processes, in real time. */
export interface NodeProcesses {
  readonly cri: CriConnection;
  /** State changes of sandboxes and containers with attempts, in order: `STARTED web`, `STOPPED web/app 2`. */
  readonly seen: readonly string[];
  /** Output lines of kubelets with `--events`. */
  readonly events: readonly string[];
  /** Resolves once `done` returns true; checked after each event or line. */
  until(done: () => boolean): Promise<void>;
  putManifest(name: string, spec: object): void;
  removeManifest(name: string): void;
  /** Starts a kubelet; `kill` sends SIGKILL. */
  startKubelet(): { kill(): Promise<void> };
  /** Kills all processes. */
  end(): void;
}

/** Starts `mockri serve` with simulated containers; all files are in `directory`. */
export async function startNode(directory: string): Promise<NodeProcesses> {
  const socket = join(directory, 'cri.sock');
  const manifests = join(directory, 'manifests');
  mkdirSync(manifests);
  const children = new Set<ChildProcess>();
  const start = (...args: readonly string[]) => {
    const child = spawn(process.execPath, commandLine(...args), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.add(child);
    return child;
  };
  const server = start('serve', '--backend', 'memory', '--listen', socket, '--control', 'off');
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`mockri serve ended with exit code ${code}`);
  });
  await Promise.race([once(server.stdout, 'data'), ended]);
  ended.catch(() => {});

  const cri = connectCri(socket);
  const changes = new EventEmitter();
  const seen: string[] = [];
  const events: string[] = [];
  void watchContainers(cri, (text) => {
    seen.push(text);
    changes.emit('change');
  });

  return {
    cri,
    seen,
    events,
    until: async (done) => {
      while (!done()) await once(changes, 'change');
    },
    putManifest: (name, spec) => {
      const metadata = { name, namespace: 'default' };
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      writeFileSync(join(manifests, `${name}.json`), text);
    },
    removeManifest: (name) => rmSync(join(manifests, `${name}.json`)),
    startKubelet: () => {
      const where = ['--root-dir', join(directory, 'kubelet'), '--pod-logs-dir', join(directory, 'logs')];
      const pods = ['--pod-manifest-path', manifests, '--hostname-override', 'node', '--events'];
      const child = start('kubelet', '--container-runtime-endpoint', socket, ...where, ...pods);
      createInterface(child.stdout).on('line', (line) => {
        events.push(line);
        changes.emit('change');
      });
      return {
        kill: async () => {
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          await exit;
        },
      };
    },
    end: () => {
      cri.close();
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

async function watchContainers(cri: CriConnection, tell: (text: string) => void): Promise<void> {
  try {
    for await (const event of cri.getContainerEvents({})) {
      const { containerId, containerEventType, podSandboxStatus, containersStatuses } = event;
      const pod = podSandboxStatus?.metadata?.name.replace(/-node$/, '');
      const container = containersStatuses.find(({ id }) => id === containerId)?.metadata;
      const type = ContainerEventType[containerEventType]?.replace(/^CONTAINER_|_EVENT$/g, '');
      tell(`${type} ${pod}${container === undefined ? '' : `/${container.name} ${container.attempt}`}`);
    }
  } catch {
    // The server was already killed.
  }
}
