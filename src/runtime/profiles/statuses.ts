import {
  type ContainerStatus,
  ContainerStatusResponse,
  type PodSandboxStatus,
  PodSandboxStatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../cri/service.js';
import { decoded } from './decoded.js';

/** Returns the engine's status of a container. Throws its error for an unknown id. */
export async function containerStatusOf(
  engine: CriService,
  containerId: string,
  call: Call,
): Promise<ContainerStatus | undefined> {
  const reply = await engine.containerStatus({ containerId, verbose: false }, call);
  return decoded(ContainerStatusResponse, reply).status;
}

export async function sandboxStatusOf(
  engine: CriService,
  podSandboxId: string,
  call: Call,
): Promise<PodSandboxStatus | undefined> {
  const reply = await engine.podSandboxStatus({ podSandboxId, verbose: false }, call);
  return decoded(PodSandboxStatusResponse, reply).status;
}
