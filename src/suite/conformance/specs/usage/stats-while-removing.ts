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
    // So that a list that began with these containers is running while they are removed.
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

export const statsWhileRemovingChecks: Checks = {
  ...Object.fromEntries(LISTINGS.map((listing) => [`INV-57.${listing.name}`, whileRemoving(listing)])),
  async 'INV-57.others-stats'(t) {
    const { sandbox, running } = await podInAllStates(t);
    const filter = { id: sandbox.id };
    const { stats } = await mustWork(t.cri.listPodSandboxStats({ filter }), 'ListPodSandboxStats of the pod');
    const [pod] = stats;
    const containers = pod?.linux?.containers ?? pod?.windows?.containers ?? [];
    must(
      containers.some(({ attributes, cpu }) => attributes?.id === running && cpu !== undefined),
      'the stats of the running container in those of its pod',
      stats,
    );
  },
  async 'INV-57.others-metrics'(t) {
    const { sandbox, running } = await podInAllStates(t);
    const { podMetrics } = await t.cri.listPodSandboxMetrics({});
    const pod = podMetrics.find(({ podSandboxId }) => podSandboxId === sandbox.id);
    must(
      pod !== undefined,
      `the pod ${sandbox.id} in ListPodSandboxMetrics`,
      podMetrics.map((one) => one.podSandboxId),
    );
    const own = pod.containerMetrics.find(({ containerId }) => containerId === running);
    must((own?.metrics.length ?? 0) > 0, 'metrics of the running container', own ?? 'none');
  },
  // Alone: the list has the pods of other checks too, and containerd's fails for one without a cgroup parent.
  async 'INV-57.stopped-pod'(t) {
    const [stopped, running] = [await podWithCgroup(t), await podWithCgroup(t)];
    await t.start(stopped);
    await t.start(running);
    await t.cri.stopPodSandbox({ podSandboxId: stopped.id });
    const { stats } = await mustWork(t.cri.listPodSandboxStats({}), 'ListPodSandboxStats');
    const ids = known(stats.map(({ attributes }) => attributes?.id));
    must(ids.includes(running.id), `the pod ${running.id} in ListPodSandboxStats`, ids);
    if (!t.facts.missing.has('metrics'))
      await mustWork(t.cri.listPodSandboxMetrics({}), 'ListPodSandboxMetrics');
  },
};
