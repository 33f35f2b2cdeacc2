import type { ContainerStatus } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { mustEqual } from '../../expect.js';
import { isOf } from '../steps/whole-life.js';

const LIMIT = 15n * 1024n * 1024n;

/** A race between the kernel's notice and the end of the process shows in some of several. */
const KILLED = 3;

/** Allocates more than the limit allows, once; without a limit it exits with 0. */
const GREEDY = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=20M', 'count=1'];

const endOf = ({ exitCode, reason, finishedAt }: ContainerStatus) => ({ exitCode, reason, finishedAt });

/** A container that needs too much memory, and the first status that shows its end. */
async function killed(t: CheckContext, sandbox: Sandbox): Promise<ContainerStatus> {
  const linux = { resources: { memoryLimitInBytes: LIMIT } };
  const status = await t.exited(await t.start(sandbox, { command: GREEDY, linux }));
  if (status.exitCode === 0)
    t.skip('memory is not limited here: a process that took more than it may ended with 0');
  return status;
}

export const memoryChecks: Checks = {
  async 'INV-56.reason'(t) {
    const sandbox = await t.sandbox();
    for (let round = 0; round < KILLED; round++) {
      const first = await killed(t, sandbox);
      mustEqual([first.exitCode, first.reason], [137, 'OOMKilled'], 'exit code and reason when first EXITED');
      mustEqual(endOf(await t.status(first.id)), endOf(first), 'its end in the next status');
    }
  },
  async 'INV-56.event'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    for (let round = 0; round < KILLED; round++) {
      const status = await killed(t, sandbox);
      const { id } = status;
      const stopped = await recorder.waitFor(isOf(id, 'STOPPED'), 'STOPPED of the container', t.patience);
      const told = stopped.containersStatuses.find((one) => one.id === id);
      mustEqual(told && endOf(told), endOf(status), 'its end in STOPPED');
    }
  },
};
