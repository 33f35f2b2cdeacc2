import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { RUN_LABEL } from '../../cleanup.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { many, outcomes } from '../steps/at-once.js';

export const nameChecks: Checks = {
  async 'INV-12.container'(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    const { kept } = await outcomes(many(() => t.create(sandbox, { name })));
    mustEqual(new Set(kept).size, 1, 'the number of different ids returned');
    const containers = await t.containersOf(sandbox.id);
    mustEqual(
      containers.map((container) => container.id),
      [kept[0]],
      'the containers of the sandbox',
    );
  },
  async 'INV-12.sandbox'(t) {
    const config = t.sandboxConfig();
    const { kept } = await outcomes(many(() => t.cri.runPodSandbox({ config, runtimeHandler: '' })));
    const ids = new Set(kept.map((reply) => reply.podSandboxId));
    for (const id of ids) t.track(id);
    mustEqual(ids.size, 1, 'the number of different ids returned');
    const { items } = await t.cri.listPodSandbox({ filter: undefined });
    const ours = items.filter((item) => item.metadata?.uid === config.metadata?.uid);
    mustEqual(
      ours.map((item) => item.id),
      [...ids],
      'the sandboxes with this uid',
    );
  },
  async 'INV-12.held'(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    const first = await t.start(sandbox, { name });
    await t.cri.stopContainer({ containerId: first, timeout: 0n });
    // A runtime can also return the owner's id.
    const again = await t.create(sandbox, { name }).catch(() => first);
    mustEqual(again, first, 'the container that has the name of an EXITED one');
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    const request = { config: sandbox.config, runtimeHandler: '' };
    const other = await t.cri.runPodSandbox(request).catch(() => ({ podSandboxId: sandbox.id }));
    t.track(other.podSandboxId);
    mustEqual(other.podSandboxId, sandbox.id, 'the sandbox that has the metadata of a stopped one');
  },
  async 'INV-13.reuse'(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    const first = await t.start(sandbox, { name });
    await t.cri.stopContainer({ containerId: first, timeout: 0n });
    await t.cri.removeContainer({ containerId: first });
    const second = await mustWork(
      t.create(sandbox, { name }),
      'CreateContainer with the name of a removed container',
    );
    must(second !== first, 'a new id', second);
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    await t.cri.removePodSandbox({ podSandboxId: sandbox.id });
    const again = t.cri.runPodSandbox({ config: sandbox.config, runtimeHandler: '' });
    const { podSandboxId } = await mustWork(again, 'RunPodSandbox with the metadata of a removed sandbox');
    t.track(podSandboxId);
    must(podSandboxId !== sandbox.id, 'a new id', podSandboxId);
  },
  async 'INV-13.failed-create'(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    await mustFail(
      t.create(sandbox, { name, image: { image: 'localhost/no-such-image:1' } }),
      'CreateContainer with an absent image',
    );
    const containers = await t.containersOf(sandbox.id);
    mustEqual(containers, [], 'the containers of the sandbox');
    await mustWork(t.create(sandbox, { name }), 'CreateContainer with the same name afterwards');
  },
  async 'INV-14.ids'(t) {
    const sandbox = await t.sandbox();
    const ids = [sandbox.id, await t.create(sandbox), await t.create(sandbox)];
    for (const id of ids) must(/^[0-9a-f]{64}$/.test(id), '64 hex digits', id);
    mustEqual(new Set(ids).size, ids.length, 'the number of different ids');
    const containerId = ids[1] as string;
    mustEqual(
      (await t.status(containerId.slice(0, 20))).id,
      containerId,
      'the id found by a prefix of 20 digits',
    );
    mustEqual(
      (await t.sandboxStatus(sandbox.id.slice(0, 20))).id,
      sandbox.id,
      'the sandbox found by a prefix of 20 digits',
    );
  },
  async 'INV-14.ambiguous'(t) {
    const sandbox = await t.sandbox();
    const ids: string[] = [];
    // Among seventeen ids, two must start with the same hex digit.
    while (ids.length < 17) ids.push(await t.create(sandbox));
    const first = ids.map((id) => id.slice(0, 1));
    const prefix = first.find((digit, index) => first.indexOf(digit) !== index) as string;
    await mustFail(
      t.cri.containerStatus({ containerId: prefix, verbose: false }),
      `ContainerStatus of the ambiguous prefix ${prefix}`,
    );
    await mustBeOurs(t, prefix);
    const before = await t.containersOf(sandbox.id);
    const containerId = prefix;
    await mustFail(t.cri.startContainer({ containerId }), `StartContainer of the ambiguous prefix ${prefix}`);
    // A runtime may treat an unknown object as already removed.
    await t.cri.stopContainer({ containerId, timeout: 0n }).catch(() => {});
    await t.cri.removeContainer({ containerId }).catch(() => {});
    const containers = await t.containersOf(sandbox.id);
    const states = (all: typeof before) => all.map(({ id, state }) => `${id} ${state}`).sort();
    mustEqual(
      states(containers),
      states(before),
      'the containers after start, stop and removal of the prefix',
    );
  },
};

/** Stops the check if an object of others has this prefix, to protect it. */
async function mustBeOurs(t: CheckContext, prefix: string): Promise<void> {
  const { containers } = await t.cri.listContainers({ filter: undefined });
  const others = containers.filter(({ id, labels }) => id.startsWith(prefix) && !(RUN_LABEL in labels));
  if (others.length > 0) t.skip(`a container outside of this run also begins with ${prefix}`);
}
