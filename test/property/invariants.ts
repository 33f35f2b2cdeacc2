import { expect } from 'vitest';
import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type PodSandbox,
  PodSandboxState,
} from '../../src/cri/gen/runtime/v1/api.js';
import type { Model, ModelContainer } from './model.js';
import { containerConfig, podConfig } from './operations.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

/** State from one check to the next. */
export interface History {
  readonly finals: Map<string, unknown>;
  readonly createdAt: Map<string, bigint>;
  readonly cpu: Map<string, bigint>;
  lastTimestamp: bigint;
  looks: number;
}

/** Filters, stats and images are checked only every n-th time, because they cost more than all the rest. */
const SELDOM = 4;

export function newHistory(): History {
  return { finals: new Map(), createdAt: new Map(), cpu: new Map(), lastTimestamp: 0n, looks: 0 };
}

export interface View {
  readonly pods: readonly PodSandbox[];
  readonly containers: readonly Container[];
  /** Whether the image that is pulled and removed is present. */
  readonly pulled: boolean;
}

export async function look({ cri, images }: RuntimeUnderTest): Promise<View> {
  const { items: pods } = await cri.listPodSandbox();
  const { containers } = await cri.listContainers();
  const { image } = await cri.imageStatus({ image: { image: images.changing } });
  return { pods, containers, pulled: image !== undefined };
}

/** Whether the lists match the model exactly. */
export function agrees(model: Model, view: View): boolean {
  return (
    view.pulled === model.pulled &&
    view.pods.length === model.pods.size &&
    view.containers.length === model.containers.size &&
    view.pods.every((pod) => {
      const expected = model.pods.get(pod.id);
      return expected !== undefined && expected.ready === (pod.state === PodSandboxState.SANDBOX_READY);
    }) &&
    view.containers.every((container) => {
      const expected = model.containers.get(container.id);
      return expected !== undefined && ContainerState[container.state] === `CONTAINER_${expected.state}`;
    })
  );
}

/** Checks the invariants of states, data, times and lists (docs/results/invariants.md) on an idle runtime. */
export async function checkState(
  runtime: RuntimeUnderTest,
  model: Model,
  view: View,
  history: History,
): Promise<void> {
  for (const pod of view.pods) await checkPod(runtime, model, view, pod, history);
  for (const container of view.containers) {
    const expected = model.containers.get(container.id) as ModelContainer;
    await checkContainer(runtime, expected, container, history);
  }
  checkUnique(view);
  if (history.looks++ % SELDOM !== 0) return;
  await checkFilters(runtime, view);
  await checkStats(runtime, view, history);
  await checkImages(runtime, view);
}

async function checkPod(
  { cri }: RuntimeUnderTest,
  model: Model,
  view: View,
  item: PodSandbox,
  history: History,
) {
  const { status, info, containersStatuses, timestamp } = await cri.podSandboxStatus({
    podSandboxId: item.id,
  });
  const { id, metadata, state, createdAt, labels, annotations, runtimeHandler } = status ?? {};
  expect({ id, metadata, state, createdAt, labels, annotations, runtimeHandler }, 'INV-18').toEqual(item);
  const given = podConfig(model.pods.get(item.id)?.pod ?? -1);
  expect(item, 'INV-22, INV-23').toMatchObject({
    metadata: given.metadata,
    labels: given.labels,
    annotations: given.annotations,
  });
  expect(item.id, 'INV-14').toMatch(/^[0-9a-f]{64}$/);
  expect(info, 'INV-24').toEqual({});
  checkTime(item.createdAt);
  remember(history.createdAt, item.id, item.createdAt, 'INV-26');
  const own = view.containers.filter(({ podSandboxId }) => podSandboxId === item.id);
  expect(new Set(containersStatuses.map((own) => own.id))).toEqual(new Set(own.map((one) => one.id)));
  expect(timestamp >= history.lastTimestamp, 'INV-31').toBe(true);
  history.lastTimestamp = timestamp;
  if (item.state === PodSandboxState.SANDBOX_NOTREADY) {
    const running = own.filter((one) => one.state === ContainerState.CONTAINER_RUNNING);
    expect(running, 'INV-5').toEqual([]);
    expect(status?.network?.ip ?? '', 'IPs are reclaimed').toBe('');
  }
}

async function checkContainer(
  runtime: RuntimeUnderTest,
  expected: ModelContainer,
  item: Container,
  history: History,
) {
  const { cri } = runtime;
  const { status, info } = await cri.containerStatus({ containerId: item.id });
  if (status === undefined) throw new Error(`container ${item.id} has no status`);
  const { id, metadata, state, createdAt, labels, annotations, imageId } = status;
  expect({ id, metadata, state, createdAt, labels, annotations, imageId }, 'INV-18').toEqual(shared(item));
  const given = containerConfig(runtime, expected.name, expected.behavior);
  expect(item, 'INV-22, INV-23').toMatchObject({
    podSandboxId: expected.podId,
    metadata: given.metadata,
    labels: given.labels,
    annotations: given.annotations,
  });
  expect(item.id, 'INV-14').toMatch(/^[0-9a-f]{64}$/);
  expect(info, 'INV-24').toEqual({});
  expect(item.imageRef, 'INV-36').toBe(imageId);
  remember(history.createdAt, item.id, item.createdAt, 'INV-26');
  checkTimes(status);
  checkExit(expected, status, history);
}

function shared({ id, metadata, state, createdAt, labels, annotations, imageId }: Container) {
  return { id, metadata, state, createdAt, labels, annotations, imageId };
}

/** INV-25; a container that failed to start has no start time (containerd). */
function checkTimes({ state, createdAt, startedAt, finishedAt }: ContainerStatus): void {
  checkTime(createdAt);
  if (state === ContainerState.CONTAINER_CREATED) expect([startedAt, finishedAt], 'INV-25').toEqual([0n, 0n]);
  else if (state === ContainerState.CONTAINER_RUNNING)
    expect([startedAt >= createdAt, finishedAt], 'INV-25').toEqual([true, 0n]);
  else {
    expect(startedAt === 0n || startedAt >= createdAt, 'INV-25').toBe(true);
    expect(finishedAt >= (startedAt || createdAt), 'INV-25').toBe(true);
  }
}

/** INV-27, and INV-7: the reported exit never changes. */
function checkExit(expected: ModelContainer, status: ContainerStatus, { finals }: History): void {
  const { state, exitCode, reason, startedAt, finishedAt } = status;
  if (state !== ContainerState.CONTAINER_EXITED) {
    expect({ exitCode, reason }, 'INV-27').toEqual({ exitCode: 0, reason: '' });
    return;
  }
  expect(expected.exitCodes, 'INV-27').toContain(exitCode);
  const started = exitCode === 0 ? 'Completed' : 'Error';
  expect(reason, 'INV-27').toBe(startedAt === 0n ? 'StartError' : started);
  remember(finals, status.id, { exitCode, reason, startedAt, finishedAt }, 'INV-7');
}

function remember<T>(known: Map<string, T>, id: string, value: T, rule: string): void {
  if (known.has(id)) expect(value, rule).toEqual(known.get(id));
  known.set(id, value);
}

function checkTime(time: bigint): void {
  expect(time > 10n ** 18n && time < 10n ** 19n, 'INV-25: nanoseconds').toBe(true);
}

function checkUnique({ containers }: View): void {
  const names = containers.map(({ podSandboxId, metadata }) => `${podSandboxId}/${JSON.stringify(metadata)}`);
  expect(new Set(names).size, 'INV-12').toBe(names.length);
}

/** INV-19 and INV-20 for one container, selected by its index. */
async function checkFilters({ cri }: RuntimeUnderTest, { pods, containers }: View): Promise<void> {
  expect(
    (await cri.streamContainers()).flatMap((message) => message.containers),
    'INV-20',
  ).toEqual(containers);
  expect(
    (await cri.streamPodSandboxes()).flatMap((message) => message.podSandboxes),
    'INV-20',
  ).toEqual(pods);
  const one = containers[containers.length >> 1];
  if (one === undefined) return;
  const { id, state, podSandboxId, labels } = one;
  const behavior = labels.behavior ?? '';
  const filters = [
    [{ id: id.slice(0, 20) }, [one]],
    [{ id, podSandboxId: id }, []],
    [{ state: { state } }, containers.filter((other) => other.state === state)],
    [
      { podSandboxId, labelSelector: { behavior } },
      containers.filter((other) => other.podSandboxId === podSandboxId && other.labels.behavior === behavior),
    ],
    [{ labelSelector: { behavior: '' } }, []],
  ] as const;
  for (const [filter, expected] of filters)
    expect((await cri.listContainers({ filter })).containers, 'INV-19').toEqual(expected);
}

/** INV-48, INV-49. */
async function checkStats({ cri }: RuntimeUnderTest, { containers }: View, { cpu }: History): Promise<void> {
  const { stats } = await cri.listContainerStats();
  const running = containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
  expect(new Set(stats.map((one) => one.attributes?.id)), 'INV-48').toEqual(
    new Set(running.map(({ id }) => id)),
  );
  for (const { attributes, cpu: usage } of stats) {
    const id = attributes?.id ?? '';
    const used = usage?.usageCoreNanoSeconds?.value ?? -1n;
    expect(used >= (cpu.get(id) ?? 0n), 'INV-48').toBe(true);
    cpu.set(id, used);
    const item = running.find((one) => one.id === id);
    expect(attributes?.labels, 'INV-48').toEqual(item?.labels);
  }
  const keys = new Map<string, number>();
  for (const { name, labelKeys } of (await cri.listMetricDescriptors()).descriptors)
    keys.set(name, labelKeys.length);
  for (const pod of (await cri.listPodSandboxMetrics()).podMetrics)
    for (const metric of [...pod.metrics, ...pod.containerMetrics.flatMap(({ metrics }) => metrics)])
      expect(metric.labelValues.length, `INV-49: ${metric.name}`).toBe(keys.get(metric.name));
}

/** INV-36, INV-37, INV-40. */
async function checkImages({ cri, images }: RuntimeUnderTest, { containers }: View): Promise<void> {
  const { images: listed } = await cri.listImages();
  const { image } = await cri.imageStatus({ image: { image: images.changing } });
  if (image !== undefined) expect(listed, 'INV-37').toContainEqual(image);
  const steady = (await cri.imageStatus({ image: { image: images.steady } })).image;
  for (const { imageId } of containers) expect(imageId, 'INV-36').toBe(steady?.id);
}
