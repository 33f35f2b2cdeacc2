import type { PodSandboxStats } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check, Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual, mustWork } from '../../expect.js';
import { podWithCgroup } from '../steps/cgroup-parent.js';

interface Listing {
  readonly name: string;
  ids(t: CheckContext): Promise<readonly string[]>;
}

const known = (ids: readonly (string | undefined)[]): string[] => ids.flatMap((id) => id ?? []);

const LISTINGS: readonly Listing[] = [
  {
    name: 'ListContainerStats',
    ids: async ({ cri }) =>
      known((await cri.listContainerStats({})).stats.map(({ attributes }) => attributes?.id)),
  },
  {
    name: 'ListPodSandboxStats',
    ids: async ({ cri }) =>
      (await cri.listPodSandboxStats({})).stats.flatMap(({ attributes, linux, windows }) =>
        known([
          attributes?.id,
          ...(linux?.containers ?? windows?.containers ?? []).map((one) => one.attributes?.id),
        ]),
      ),
  },
  {
    name: 'ListPodSandboxMetrics',
    ids: async ({ cri }) =>
      (await cri.listPodSandboxMetrics({})).podMetrics.flatMap(({ podSandboxId, containerMetrics }) => [
        podSandboxId,
        ...containerMetrics.map(({ containerId }) => containerId),
      ]),
  },
];

const PODS = 2;
const ROUNDS = 2;
const CONTAINERS = 3;

/** Expects a list to succeed without the objects that were removed before the call. */
async function mustLackRemoved(t: CheckContext, { name, ids }: Listing, removed: ReadonlySet<string>) {
  const before = new Set(removed);
  const listed = await mustWork(ids(t), `${name} while containers are removed`);
  const left = listed.filter((id) => before.has(id));
  must(left.length === 0, `nothing in ${name} that was removed before the call`, left);
}

async function startAndRemove(
  t: CheckContext,
  sandbox: Sandbox,
  removed: Set<string>,
  nextList: () => Promise<void>,
): Promise<void> {
  const podSandboxId = sandbox.id;
  for (let round = 0; round < ROUNDS; round++) {
    const ids = await Promise.all(Array.from({ length: CONTAINERS }, () => t.start(sandbox)));
    const remove = async (containerId: string) => {
      await t.cri.stopContainer({ containerId, timeout: 0n });
      await t.cri.removeContainer({ containerId });
      removed.add(containerId);
    };
    // Waits, so that a list that began with these containers is in progress while they are removed.
    await nextList();
    await Promise.all(ids.map(remove));
  }
  await t.cri.stopPodSandbox({ podSandboxId });
  await t.cri.removePodSandbox({ podSandboxId });
  removed.add(podSandboxId);
}

/** Lists repeatedly while containers and pods are created and removed, and once more at the end. */
const whileRemoving =
  (listing: Listing): Check['run'] =>
  async (t) => {
    const removed = new Set<string>();
    let busy = true;
    const waiting: (() => void)[] = [];
    const nextList = () => new Promise<void>((resolve) => waiting.push(resolve));
    const sandboxes = await Promise.all(Array.from({ length: PODS }, () => podWithCgroup(t)));
    const working = Promise.all(
      sandboxes.map((sandbox) => startAndRemove(t, sandbox, removed, nextList)),
    ).finally(() => {
      busy = false;
    });
    const looking = (async () => {
      while (busy) {
        const listed = mustLackRemoved(t, listing, removed);
        for (const begin of waiting.splice(0)) begin();
        await listed;
      }
    })();
    await Promise.all([working, looking]);
    mustEqual(removed.size, PODS * (ROUNDS * CONTAINERS + 1), 'the number of removed objects');
    await mustLackRemoved(t, listing, removed);
  };

/** A pod with one running container, one that was never started and one that has exited. */
async function podInAllStates(t: CheckContext) {
  const sandbox = await podWithCgroup(t);
  const running = await t.start(sandbox);
  await t.create(sandbox);
  await t.exited(await t.script(sandbox, 'exit 0'));
  return { sandbox, running };
}

/** Expects a pod with its own usage, and that of its running container. */
function mustHaveStats(pods: readonly PodSandboxStats[], id: string, running: string, where: string): void {
  const pod = pods.find(({ attributes }) => attributes?.id === id);
  const own = pod?.linux ?? pod?.windows;
  must(own?.cpu !== undefined && own.memory !== undefined, `the usage of the pod ${id} in ${where}`, pods);
  must(
    own.containers.some(({ attributes, cpu }) => attributes?.id === running && cpu !== undefined),
    `the stats of the running container in those of its pod in ${where}`,
    own,
  );
}

/** Expects a pod with metrics of its running container; returns the names of the pod's. */
async function mustHaveMetrics(t: CheckContext, id: string, running: string): Promise<readonly string[]> {
  const { podMetrics } = await mustWork(t.cri.listPodSandboxMetrics({}), 'ListPodSandboxMetrics');
  const pod = podMetrics.find(({ podSandboxId }) => podSandboxId === id);
  const ids = podMetrics.map((one) => one.podSandboxId);
  must(pod !== undefined, `the pod ${id} in ListPodSandboxMetrics`, ids);
  const own = pod.containerMetrics.find(({ containerId }) => containerId === running);
  must((own?.metrics.length ?? 0) > 0, 'metrics of the running container', own ?? 'none');
  return pod.metrics.map(({ name }) => name).sort();
}

export const statsWhileRemovingChecks: Checks = {
  ...Object.fromEntries(LISTINGS.map((listing) => [`INV-57.${listing.name}`, whileRemoving(listing)])),
  async 'INV-57.others-stats'(t) {
    const { sandbox, running } = await podInAllStates(t);
    const podSandboxId = sandbox.id;
    const list = t.cri.listPodSandboxStats({ filter: { id: podSandboxId } });
    const { stats: pods } = await mustWork(list, 'ListPodSandboxStats of the pod');
    mustHaveStats(pods, podSandboxId, running, 'ListPodSandboxStats');
    const { stats: pod } = await mustWork(t.cri.podSandboxStats({ podSandboxId }), 'PodSandboxStats');
    mustHaveStats(pod ? [pod] : [], podSandboxId, running, 'PodSandboxStats');
    const { stats } = await t.cri.listContainerStats({ filter: { podSandboxId } });
    must(
      stats.some(({ attributes, cpu }) => attributes?.id === running && cpu !== undefined),
      'the stats of the running container in ListContainerStats',
      stats,
    );
  },
  async 'INV-57.others-metrics'(t) {
    const { sandbox, running } = await podInAllStates(t);
    const well = await podWithCgroup(t);
    const wanted = await mustHaveMetrics(t, well.id, await t.start(well));
    const names = await mustHaveMetrics(t, sandbox.id, running);
    mustEqual(names, wanted, 'the metrics of the pod itself, as of a pod all of whose containers run');
  },
  // Runs alone: the list has the pods of other checks too, and containerd's list fails for a pod without a cgroup
  // parent.
  async 'INV-57.stopped-pod'(t) {
    const [stopped, running] = [await podWithCgroup(t), await podWithCgroup(t)];
    await t.start(stopped);
    const containerId = await t.start(running);
    await t.cri.stopPodSandbox({ podSandboxId: stopped.id });
    const { stats } = await mustWork(t.cri.listPodSandboxStats({}), 'ListPodSandboxStats');
    mustHaveStats(stats, running.id, containerId, 'ListPodSandboxStats');
    if (!t.facts.missing.has('metrics')) await mustHaveMetrics(t, running.id, containerId);
  },
};
