import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
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
import { createPayloads } from './payloads.js';
import { createSubPaths } from './sub-paths.js';

/** kubelet container/runtime.go. */
export const MAX_MESSAGE = 4096;
const MAX_LOG_MESSAGE = 2048;
const MAX_LOG_LINES = 80;

const { O_CREAT, O_EXCL, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

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

/** A host path: names below a root, none of which may be a symlink. */
interface Below {
  readonly root: HostRoot;
  readonly names: readonly string[];
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
  const tail = async (path: string, bytes: number) => {
    const { root, names } = await locate(path);
    return endOf(await openBelow(root, names, O_RDONLY), bytes);
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
    terminationMessage: (hostPath) => tail(hostPath, MAX_MESSAGE).catch(() => ''),
    logTail: async (logPath) => logMessage(await tail(logPath, MAX_LOG_MESSAGE * 4).catch(() => '')),
    openLog: async (logPath) => {
      const { root, names } = await locate(logPath);
      return openBelow(root, names, O_RDONLY);
    },
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
    removeLogs: async (logPath) => {
      if (logPath === '') return;
      await inDirectory(await locate(logPath), async (directory, name) => {
        for (const file of await rotatedFiles(directory, name))
          await rm(join(directory, file), { force: true });
        await rm(join(directory, name), { force: true });
      }).catch(unlessMissing);
    },
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
    logSize: async (logPath) => {
      const { root, names } = await locate(logPath);
      // The kubelet checks every log every ten seconds. This call only returns the size, because rotation follows no
      // link.
      const found = await lstat(join(root.path, ...names)).catch(() => undefined);
      return found?.size;
    },
    rotate: async (logPath, stamp) => {
      const place = await locate(logPath);
      const move = (turn: (current: string, rotated: string) => Promise<void>) =>
        inDirectory(place, (directory, name) =>
          turn(join(directory, name), join(directory, `${name}.${stamp}`)),
        );
      await move(rename);
      return () => move((current, rotated) => rename(rotated, current));
    },
    compressRotated: async (logPath, keep) => compressRotated(await locate(logPath), keep),
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

/** Runs an operation on a name in a directory. The operation must not follow a symlink. */
const inDirectory = <T>(
  { root, names }: Below,
  use: (directory: string, name: string) => Promise<T>,
): Promise<T> => withPinned(root, names.slice(0, -1), ({ path }) => use(path, names.at(-1) ?? ''));

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The newest rotated file stays uncompressed: the runtime may still write to it. */
async function compressRotated(log: Below, keep: number): Promise<void> {
  await inDirectory(log, async (directory, name) => {
    const files = (await rotatedFiles(directory, name)).sort();
    const extra = Math.max(0, files.length - keep);
    for (const file of files.slice(0, extra)) await rm(join(directory, file), { force: true });
    for (const file of files.slice(extra, -1)) {
      if (file.endsWith('.gz')) continue;
      const beside = (other: string) => [...log.names.slice(0, -1), other];
      const from = await openBelow(log.root, beside(file), O_RDONLY);
      const to = await openBelow(log.root, beside(`${file}.gz`), O_WRONLY | O_CREAT | O_TRUNC, 0o666).catch(
        async (error) => {
          await from.close();
          throw error;
        },
      );
      await pipeline(from.createReadStream(), createGzip(), to.createWriteStream());
      await rm(join(directory, file), { force: true });
    }
  });
}

async function rotatedFiles(directory: string, log: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.startsWith(`${log}.`));
}

async function endOf(file: FileHandle, bytes: number): Promise<string> {
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    await file.read(buffer, 0, length, size - length);
    return buffer.toString();
  } finally {
    await file.close();
  }
}

export function logMessage(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.slice(-MAX_LOG_LINES).map(textOf).join('').slice(-MAX_LOG_MESSAGE);
}

/** P marks a partial line. */
function textOf(line: string): string {
  const [, , tag, ...words] = line.split(' ');
  return `${words.join(' ')}${tag === 'P' ? '' : '\n'}`;
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
