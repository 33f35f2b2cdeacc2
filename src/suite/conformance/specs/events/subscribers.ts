import { Code } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { EventRecorder } from '../../event-recorder.js';
import { must, mustEqual, mustWork } from '../../expect.js';
import { key, wholeLife } from '../steps/whole-life.js';

/** Containers with unread events: twice as many fill a subscriber's queue (containerd: 100), socket and client. */
const UNREAD = 90;
/** Concurrent rounds: one after the other, they would take a slow runtime longer than a check may take. */
const AT_A_TIME = 5;

/** Creates and removes a container for each round; concurrent callers share the rounds. */
async function createAndRemove(
  t: CheckContext,
  sandbox: Sandbox,
  rounds: IterableIterator<number>,
): Promise<void> {
  for (const round of rounds) {
    const padded = { annotations: { pad: 'x'.repeat(20_000) } };
    const beside = `with a subscriber that has not read ${2 * round} events`;
    const config = t.containerConfig(padded);
    const request = { podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config };
    const limit = { timeout: t.patience };
    const { containerId } = await mustWork(
      t.cri.createContainer(request, limit),
      `CreateContainer ${beside}`,
    );
    await mustWork(t.cri.removeContainer({ containerId }, limit), `RemoveContainer ${beside}`);
  }
}

export const subscriberChecks: Checks = {
  async 'INV-30.two-subscribers'(t) {
    const [one, two] = [await t.recordEvents(), await t.recordEvents()];
    const lives = await Promise.all([wholeLife(t, one), wholeLife(t, one), wholeLife(t, one)]);
    const ids = lives.flatMap(({ sandboxId, containerId }) => [sandboxId, containerId]);
    const ours = (recorder: EventRecorder) => recorder.of(...ids).map(key);
    await t.eventually(
      async () => ours(two).length,
      (count) => count >= ours(one).length,
      'the second subscriber to get as many events',
    );
    mustEqual(ours(two), ours(one), 'the events of the second subscriber');
    mustEqual(new Set(ours(one)).size, ours(one).length, 'the number of different events');
  },
  async 'INV-35.departed'(t) {
    const staying = await t.recordEvents();
    for (let round = 0; round < 5; round++) {
      const leaving = EventRecorder.open(t.cri, t.clock);
      await t.clock.sleep(10);
      leaving.close();
      const { containerId } = await wholeLife(t, staying);
      mustEqual(
        staying.typesOf(containerId),
        ['CREATED', 'STARTED', 'STOPPED', 'DELETED'],
        'the events after a subscriber disconnected',
      );
    }
  },
  async 'INV-35.slow'(t) {
    const sandbox = await t.sandbox();
    const reader = t.cri.getContainerEvents({})[Symbol.asyncIterator]();
    try {
      void reader.next();
      const rounds = Array(UNREAD).keys();
      await Promise.all(Array.from({ length: AT_A_TIME }, () => createAndRemove(t, sandbox, rounds)));
    } finally {
      await reader.return?.().catch(() => {});
    }
  },
  async 'INV-29.unsubscribed'(t) {
    const { events } = t.facts;
    must(events !== 'ends at once', 'a stream that stays open, or UNIMPLEMENTED', `the stream ${events}`);
    if (events === 'unimplemented') t.skip(`GetContainerEvents is ${Code[Code.UNIMPLEMENTED]}`);
  },
};
