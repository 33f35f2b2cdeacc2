import {
  type ContainerEventResponse,
  ContainerState,
  PodSandboxState,
} from '../../../../cri/gen/runtime/v1/api.js';
import { type EventName, eventNames } from '../../../../tape/world/shown.js';
import type { Checks } from '../../check.js';
import { RUN_LABEL } from '../../cleanup.js';
import { must, mustEqual } from '../../expect.js';
import { isOf, key, wholeLife } from '../steps/whole-life.js';

export const eventChecks: Checks = {
  async 'INV-29.container'(t) {
    const recorder = await t.recordEvents();
    const { containerId } = await wholeLife(t, recorder);
    mustEqual(
      recorder.typesOf(containerId),
      ['CREATED', 'STARTED', 'STOPPED', 'DELETED'],
      'the events of the container',
    );
  },
  async 'INV-29.sandbox'(t) {
    const recorder = await t.recordEvents();
    const { sandboxId } = await wholeLife(t, recorder);
    await recorder.waitFor(isOf(sandboxId, 'DELETED'), 'DELETED of the sandbox', t.patience);
    mustEqual(
      recorder.typesOf(sandboxId),
      ['CREATED', 'STARTED', 'STOPPED', 'DELETED'],
      'the events of the sandbox',
    );
  },
  async 'INV-29.short-lived'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    for (let round = 0; round < 10; round++) {
      const id = await t.script(sandbox, 'exit 0');
      await recorder.waitFor(isOf(id, 'STOPPED'), 'STOPPED of the container', t.patience);
      mustEqual(
        recorder.typesOf(id),
        ['CREATED', 'STARTED', 'STOPPED'],
        'the events of a container that exits immediately',
      );
    }
  },
  async 'INV-31.time'(t) {
    const recorder = await t.recordEvents();
    await Promise.all([wholeLife(t, recorder), wholeLife(t, recorder)]);
    const ours = recorder.events.filter(
      (event) => event.podSandboxStatus?.labels[RUN_LABEL] === t.options.run,
    );
    let last = 0n;
    const lastOfPod = new Map<string, bigint>();
    for (const event of ours) {
      must(event.createdAt > 0n && event.createdAt >= last, `created_at >= ${last}`, key(event));
      last = event.createdAt;
      const pod = event.podSandboxStatus?.id ?? '';
      const before = lastOfPod.get(pod) ?? 0n;
      must(event.createdAt > before, `created_at > ${before}, the last one of this pod`, key(event));
      lastOfPod.set(pod, event.createdAt);
    }
  },
  async 'INV-32.contents'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    const neighbor = await t.start(sandbox);
    const containerId = await t.start(sandbox);
    await t.cri.stopContainer({ containerId, timeout: 0n });
    const stopped = await recorder.waitFor(
      isOf(containerId, 'STOPPED'),
      'STOPPED of the container',
      t.patience,
    );
    await t.cri.removeContainer({ containerId });
    const deleted = await recorder.waitFor(
      isOf(containerId, 'DELETED'),
      'DELETED of the container',
      t.patience,
    );
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    const down = await recorder.waitFor(isOf(sandbox.id, 'STOPPED'), 'STOPPED of the sandbox', t.patience);

    for (const event of recorder.of(sandbox.id, containerId)) {
      mustEqual(event.podSandboxStatus?.id, sandbox.id, `pod_sandbox_status.id in ${key(event)}`);
      mustEqual(
        event.podSandboxStatus?.metadata?.uid,
        sandbox.config.metadata?.uid,
        `the pod's uid in ${key(event)}`,
      );
      const ids = event.containersStatuses.map(({ id }) => id);
      const strangers = ids.filter((id) => id !== containerId && id !== neighbor);
      mustEqual(strangers, [], `other pods' containers in ${key(event)}`);
      if (event.containerId === containerId)
        must(ids.includes(neighbor), `the status of the pod’s other container in ${key(event)}`, ids);
    }
    const started = recorder.events.find(isOf(containerId, 'STARTED'));
    const stateIn = (event: ContainerEventResponse | undefined) =>
      event?.containersStatuses.find((status) => status.id === containerId)?.state;
    must(
      stateIn(started) === ContainerState.CONTAINER_RUNNING ||
        stateIn(started) === ContainerState.CONTAINER_EXITED,
      'RUNNING or EXITED in STARTED',
      String(stateIn(started)),
    );
    mustEqual(stateIn(stopped), ContainerState.CONTAINER_EXITED, 'the state in STOPPED');
    mustEqual(stateIn(deleted), undefined, 'the status of the container in its DELETED');
    mustEqual(
      down.podSandboxStatus?.state,
      PodSandboxState.SANDBOX_NOTREADY,
      'the sandbox’s state in its STOPPED',
    );
  },
  async 'INV-33.effect-first'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    // The reply and the event use different streams, so the event can arrive shortly after the reply.
    const arrives = (id: string, name: EventName) =>
      recorder.waitFor(isOf(id, name), `${name} with the reply`, 1000);
    const containerId = await t.create(sandbox);
    await arrives(containerId, 'CREATED');
    await t.cri.startContainer({ containerId });
    const started = await arrives(containerId, 'STARTED');
    const { state } = await t.status(containerId);
    must(state >= ContainerState.CONTAINER_RUNNING, 'a status at least as new as the event', {
      event: key(started),
      state,
    });
    await t.cri.stopContainer({ containerId, timeout: 0n });
    await t.cri.removeContainer({ containerId });
    await arrives(containerId, 'DELETED');
  },
  async 'INV-34.removal-order'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    const containerId = await t.start(sandbox);
    await t.cri.removePodSandbox({ podSandboxId: sandbox.id });
    await recorder.waitFor(isOf(sandbox.id, 'DELETED'), 'DELETED of the sandbox', t.patience);
    const who = (event: ContainerEventResponse) =>
      event.containerId === containerId ? 'container' : 'sandbox';
    const seen = recorder
      .of(sandbox.id, containerId)
      .map((event) => `${who(event)} ${eventNames[event.containerEventType]}`);
    mustEqual(
      seen.slice(-4),
      ['container STOPPED', 'sandbox STOPPED', 'container DELETED', 'sandbox DELETED'],
      'the last four events',
    );
  },
};
