import type { ContainerStatus } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual } from '../../expect.js';

/** Enough containers to show a loss that happens once in a hundred times. */
const CONTAINERS = 500;
const AT_A_TIME = 10;

/** For a slow runtime: the time limit, as a multiple of the patience, and the fewest containers that are enough. */
const ENOUGH = 1.5;
const FEWEST = 20;

function mustBeWhole(status: ContainerStatus, code: number): void {
  const { exitCode, createdAt, startedAt, finishedAt } = status;
  mustEqual(exitCode, code, `the exit code of ${status.id}, which ends immediately`);
  must(
    createdAt > 0n && startedAt > 0n && finishedAt > 0n,
    `created_at, started_at and finished_at of ${status.id}`,
    {
      createdAt,
      startedAt,
      finishedAt,
    },
  );
}

/** Starts containers one after another, each with its own exit code, until `next` ends the series. */
async function runMany(t: CheckContext, sandbox: Sandbox, next: () => number | undefined): Promise<void> {
  for (let code = next(); code !== undefined; code = next()) {
    const containerId = await t.script(sandbox, `exit ${code}`);
    mustBeWhole(await t.exited(containerId), code);
    await t.cri.removeContainer({ containerId });
  }
}

export const shortLivedChecks: Checks = {
  async 'INV-60.ends-at-once'(t) {
    const sandbox = await t.sandbox();
    const begun = t.clock.elapsed();
    let started = 0;
    const next = () => {
      const isEnough = started >= FEWEST && t.clock.elapsed() - begun > ENOUGH * t.patience;
      return started < CONTAINERS && !isEnough ? started++ % 250 : undefined;
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, () => runMany(t, sandbox, next)));
  },
};
