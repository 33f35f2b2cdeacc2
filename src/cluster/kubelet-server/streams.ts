import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import { Code } from '../../cri/status-code.js';
import { CONTAINER_NAME, errorText, POD_UID } from '../../kubelet/index.js';
import { Problem } from '../../runtime/control/problem.js';
import type { StreamRequest } from '../../runtime/streaming/request.js';
import type { ClusterNode } from '../node/cluster-node.js';
import { type FoundPod, requirePod } from './find-pod.js';
import type { PodPath, StreamRoute } from './route.js';

export interface OpenedStream {
  readonly node: ClusterNode;
  readonly request: StreamRequest;
}

/** Requests a session from the runtime (server.go getExec, getAttach, getPortForward). Throws Problem. */
export async function openStream(
  nodes: Iterable<ClusterNode>,
  route: StreamRoute,
  query: URLSearchParams,
): Promise<OpenedStream> {
  const streams = route.kind === 'port-forward' ? undefined : readStreams(query);
  const found = requirePod(nodes, route.pod);
  const { node } = found;
  const url = await asked(async () => {
    if (route.kind === 'port-forward') return forwardUrl(found, route.pod, query);
    const containerId = await runningContainer(found, route.container);
    if (route.kind === 'exec')
      return (await node.cri.exec({ ...streams, containerId, cmd: query.getAll('command') })).url;
    // A terminal can't be added to a running process (kubelet_pods.go GetAttach).
    const spec = found.pod.pod.spec.containers.find(({ name }) => name === route.container);
    const tty = spec?.tty ?? false;
    return (await node.cri.attach({ ...streams, containerId, tty, stderr: streams?.stderr === true && !tty }))
      .url;
  });
  const request = node.streams.take(url);
  if (request === undefined) throw new Problem(500, `error dialing backend: no session at ${url}`);
  return { node, request };
}

function readStreams(query: URLSearchParams) {
  const [tty, stdin, stdout, error] = ['tty', 'input', 'output', 'error'].map(
    (key) => query.get(key) === '1',
  );
  const stderr = error === true && tty === false;
  if (!stdin && !stdout && !stderr)
    throw new Problem(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return { tty, stdin, stdout, stderr };
}

/** The id of a running container, from the runtime, like the kubelet. Throws 500. */
export async function runningContainer({ node, pod }: FoundPod, container: string): Promise<string> {
  const { containers } = await node.cri.listContainers({
    filter: {
      state: { state: ContainerState.CONTAINER_RUNNING },
      labelSelector: { [POD_UID]: pod.pod.metadata.uid, [CONTAINER_NAME]: container },
    },
  });
  const [first] = containers;
  if (first === undefined) throw new Problem(500, `container not found ("${container}")`);
  return first.id;
}

async function forwardUrl({ node, pod }: FoundPod, path: PodPath, query: URLSearchParams): Promise<string> {
  const { items } = await node.cri.listPodSandbox({
    filter: { labelSelector: { [POD_UID]: pod.pod.metadata.uid } },
  });
  const [newest] = [...items].sort((a, b) => Number(b.createdAt - a.createdAt));
  if (newest === undefined) throw new Problem(500, `pod not found ("${path.name}_${path.namespace}")`);
  const port = query.getAll('port').flatMap((text) => text.split(',').map(Number));
  return (await node.cri.portForward({ podSandboxId: newest.id, port })).url;
}

/** Converts the runtime's error to a reply (cri-streaming errors.go WriteError). */
async function asked(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code } = error as { code?: Code };
    const text = errorText(error);
    if (code === Code.NOT_FOUND) throw new Problem(404, text);
    if (code === Code.RESOURCE_EXHAUSTED) throw new Problem(429, text, { 'Retry-After': '60' });
    throw new Problem(500, text);
  }
}
