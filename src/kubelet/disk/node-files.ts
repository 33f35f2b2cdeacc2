import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import {
  type HostRoot,
  makeBelow,
  openBelow,
  removeBelow,
  rootAt,
  rootOf,
  withPinned,
} from '../../base/host/pinned.js';
import { makeDirectory } from '../../base/input/make-directory.js';
import { isNodeHosts, NODE_HOSTS } from '../kubernetes/own-volumes.js';
import { sourcesOf, type Volume } from '../kubernetes/volumes.js';
import type { KubeletFiles } from './files.js';
import { type Below, createLogFiles, endOf } from './log-files.js';
import { createPayloads } from './payloads.js';
import { createSubPaths } from './sub-paths.js';

/** kubelet container/runtime.go. */
export const MAX_MESSAGE = 4096;

const { O_CREAT, O_EXCL, O_TRUNC, O_WRONLY } = constants;

/** /etc/hosts of a node that hides this machine's files from its pods. */
const SIMULATED_HOSTS = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n';

export interface NodeFilesOptions {
  /** Default of the kubelet: /var/lib/kubelet. */
  readonly rootDir: string;
  /** Default of the kubelet: /var/log/pods. */
  readonly podLogsDir: string;
  /** hostPath volumes become empty directories, and /etc/hosts lists only localhost: pods must not see the host. */
  readonly keepsFromHost?: boolean;
}

/**
 * The kubelet's files on this machine. Containers control their volumes' contents, so no path may leave these
 * directories, even if a container replaces part of it during use (see withPinned).
 */
export function createNodeFiles({ rootDir, podLogsDir, keepsFromHost }: NodeFilesOptions): KubeletFiles {
  const nodeHosts = async () =>
    keepsFromHost ? SIMULATED_HOSTS : readFile(NODE_HOSTS, 'utf8').catch(() => '');
  const podRoot = lazyRoot(rootDir);
  const logRoot = lazyRoot(podLogsDir);
  const podLogDirectory: KubeletFiles['podLogDirectory'] = ({ namespace, name, uid }) =>
    join(podLogsDir, `${namespace}_${name}_${uid}`);
  /** The runtime returned this path. Another kubelet may own the file; then no part may be a symlink. */
  const locate = async (path: string): Promise<Below> => {
    const bases = [
      [podLogsDir, logRoot],
      [rootDir, podRoot],
    ] as const;
    for (const [base, root] of bases) {
      const names = posix.relative(base, path).split('/');
      if (names[0] !== '' && names[0] !== '..') return { root: await root(), names };
    }
    return { root: await rootAt('/'), names: posix.relative('/', path).split('/') };
  };
  const newFile = async (directory: readonly string[], name: string, text: string, flags: number) => {
    const root = await podRoot();
    await makeBelow(root, directory);
    const file = await openBelow(root, [...directory, name], O_WRONLY | O_CREAT | flags, 0o644);
    await file.writeFile(text).finally(() => file.close());
    return join(rootDir, ...directory, name);
  };

  const payloads = createPayloads(podRoot);

  return {
    keepsLogs: true,
    ...createLogFiles(locate),
    podLogDirectory,
    nextAttempt: async (logDirectory, container) => {
      const [root, names] = [await logRoot(), [basename(logDirectory), container]];
      await makeBelow(root, names);
      const files = await withPinned(root, names, ({ path }) => readdir(path));
      return attemptAfter(files);
    },
    newTerminationLog: (uid, container) =>
      newFile(['pods', uid, 'containers', container], randomBytes(4).toString('hex'), '', O_EXCL),
    writeHosts: (uid, text) => newFile(['pods', uid], 'etc-hosts', text, O_TRUNC),
    nodeHosts,
    terminationMessage: (hostPath) => endOf(locate(hostPath), MAX_MESSAGE).catch(() => ''),
    volume: async ({ uid }, volume) => {
      if (volume.hostPath !== undefined && !keepsFromHost) return volume.hostPath.path;
      const names = volumeNames(uid, volume);
      if (isNodeHosts(volume)) return newFile(names.slice(0, -1), volume.name, await nodeHosts(), O_TRUNC);
      await makeBelow(await podRoot(), names);
      return join(rootDir, ...names);
    },
    writeVolume: ({ uid }, volume, files, now) => payloads.write(volumeNames(uid, volume), files, now),
    subPath: createSubPaths(rootDir, podRoot),
    usage: async (uid, volume) => treeSize(await podRoot(), volumeNames(uid, volume)),
    logUsage: async (pod, container) =>
      treeSize(await logRoot(), [basename(podLogDirectory(pod)), container]),
    removeVolumes: async (uid) => {
      payloads.forget(uid);
      await removeBelow(await podRoot(), ['pods', uid, 'volumes']);
    },
    removePod: async (pod) => {
      // The names of a pod that only the runtime knows are not validated.
      if (Object.values(pod).some((part) => /^\.*$|\//.test(part))) return;
      payloads.forget(pod.uid);
      await removeBelow(await podRoot(), ['pods', pod.uid]);
      await removeBelow(await logRoot(), [basename(podLogDirectory(pod))]);
    },
  };
}

export function attemptAfter(files: readonly string[]): number {
  const attempts = files.flatMap((file) => /^(\d+)\.log(\..*)?$/.exec(file)?.[1] ?? []);
  return attempts.length === 0 ? 0 : Math.max(...attempts.map(Number)) + 1;
}

/** Groups volumes by who fills them, so that containers' files stay apart from the kubelet's. */
export const volumeNames = (uid: string, volume: Volume): string[] => [
  'pods',
  uid,
  'volumes',
  sourcesOf(volume) === undefined ? 'kubernetes.io~empty-dir' : 'kubernetes.io~projected',
  volume.name,
];

function lazyRoot(path: string): () => Promise<HostRoot> {
  let root: Promise<HostRoot> | undefined;
  return () => {
    root ??= makeDirectory(path)
      .then(() => rootAt(path))
      .catch((error) => {
        root = undefined;
        throw error;
      });
    return root;
  };
}

/** GetDirUsage: bytes on disk; 0 if the tree does not exist. Opens each entry from its own directory. */
async function treeSize(root: HostRoot, names: readonly string[]): Promise<bigint> {
  let bytes = 0n;
  const left: Below[] = [{ root, names }];
  for (let next = left.pop(); next !== undefined; next = left.pop())
    await withPinned(next.root, next.names, async (pinned) => {
      const stat = await pinned.stat();
      bytes += stat.blocks * 512n;
      if (!stat.isDirectory()) return;
      const own = await rootOf(pinned);
      for (const child of await readdir(pinned.path)) left.push({ root: own, names: [child] });
    }).catch(() => {});
  return bytes;
}
