import { z } from 'zod';
import {
  ContainerConfig,
  CreateContainerRequest,
  CreateContainerResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  PodSandboxConfig,
  PullImageRequest,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  StartContainerRequest,
} from '../../cri/gen/runtime/v1/api.js';
import { ownCall } from '../../cri/own-call.js';
import { decoded } from '../../cri/reply.js';
import type { CriService } from '../../cri/service.js';
import { randomId } from '../engine/random-id.js';
import type { Runtime } from '../engine/runtime.js';

/** Per pod. */
const MOST_CONTAINERS = 1000;

const texts = z.record(z.string(), z.string()).default({});

const limitsSchema = z.strictObject({
  cpuShares: z.int().min(0).optional(),
  cpuQuota: z.int().min(0).optional(),
  cpuPeriod: z.int().min(0).optional(),
  cpusetCpus: z.string().optional(),
  memoryLimitInBytes: z.int().min(0).optional(),
});

const containerSchema = z.strictObject({
  name: z.string().min(1),
  image: z.string().min(1).default('busybox:1'),
  command: z.array(z.string()).default(['sleep', '1000000']),
  args: z.array(z.string()).default([]),
  env: texts,
  labels: texts,
  annotations: texts,
  resources: limitsSchema.optional().describe('limits, as the CRI names them'),
  state: z.enum(['created', 'running', 'exited']).default('running'),
  exitCode: z.int().min(0).max(255).default(0).describe('with state exited'),
});

export const givenPodSchema = z.strictObject({
  name: z.string().min(1),
  namespace: z.string().min(1).default('default'),
  uid: z.string().min(1).optional(),
  labels: texts,
  annotations: texts,
  containers: z.array(containerSchema).max(MOST_CONTAINERS).default([]),
});

export type GivenPod = z.input<typeof givenPodSchema>;
type GivenContainer = z.output<typeof containerSchema>;

export interface PodPlace {
  readonly service: CriService;
  readonly runtime: Pick<Runtime, 'exitContainer'>;
}

/** Makes the pod with a client's calls, and pulls its images. Returns the sandbox id. Rejects as the calls do. */
export async function addPod(given: z.output<typeof givenPodSchema>, place: PodPlace): Promise<string> {
  const { name, namespace, uid = randomId().slice(0, 8), labels, annotations } = given;
  const { service } = place;
  const config = PodSandboxConfig.fromPartial({
    metadata: { name, namespace, uid, attempt: 0 },
    labels,
    annotations,
    linux: {},
  });
  const { podSandboxId } = decoded(
    await service.runPodSandbox(RunPodSandboxRequest.fromPartial({ config }), ownCall()),
    RunPodSandboxResponse,
  );
  for (const container of given.containers) await addContainer(container, podSandboxId, config, place);
  return podSandboxId;
}

async function addContainer(
  given: GivenContainer,
  podSandboxId: string,
  sandboxConfig: PodSandboxConfig,
  { service, runtime }: PodPlace,
): Promise<void> {
  const { state, exitCode } = given;
  const config = configOf(given);
  await havePulled(config, sandboxConfig, service);
  const request = CreateContainerRequest.fromPartial({ podSandboxId, config, sandboxConfig });
  const { containerId } = decoded(await service.createContainer(request, ownCall()), CreateContainerResponse);
  if (state === 'created') return;
  await service.startContainer(StartContainerRequest.fromPartial({ containerId }), ownCall());
  if (state === 'exited') await runtime.exitContainer(containerId, { exitCode });
}

async function havePulled(
  { image }: ContainerConfig,
  sandboxConfig: PodSandboxConfig,
  service: CriService,
): Promise<void> {
  const asked = await service.imageStatus(ImageStatusRequest.fromPartial({ image }), ownCall());
  if (decoded(asked, ImageStatusResponse).image === undefined)
    await service.pullImage(PullImageRequest.fromPartial({ image, sandboxConfig }), ownCall());
}

const configOf = ({
  name,
  image,
  command,
  args,
  env,
  labels,
  annotations,
  resources,
}: GivenContainer): ContainerConfig =>
  ContainerConfig.fromPartial({
    metadata: { name, attempt: 0 },
    image: { image, userSpecifiedImage: image },
    command,
    args,
    envs: Object.entries(env).map(([key, value]) => ({ key, value: Buffer.from(value) })),
    labels,
    annotations,
    linux: { resources: resources && limitsOf(resources) },
  });

const limitsOf = ({ cpusetCpus = '', ...numbers }: z.output<typeof limitsSchema>) => ({
  cpusetCpus,
  ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value ?? 0)])),
});
