import type { Call, CriService } from '../../../cri/service.js';

/** RPCs that Docker always completes. */
const CHANGES = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'updateContainerResources',
  'pullImage',
  'removeImage',
] as const;

type Serve = (request: never, call: Call) => unknown;

/** Cancelled calls continue: cri-dockerd does not pass its context to Docker (libdocker/kube_docker_client.go). */
export const uncancelled = (service: CriService): CriService => ({
  ...service,
  ...(Object.fromEntries(CHANGES.map((name) => [name, toItsEnd(service[name])])) as Partial<CriService>),
});

const toItsEnd =
  (serve: Serve): Serve =>
  (request, call) =>
    serve(request, { ...call, signal: new AbortController().signal, deadline: undefined });
