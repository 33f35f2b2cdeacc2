import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual } from '../../expect.js';

/** Allowed difference between the runtime's clock and this machine's. */
const TOLERANCE = 2_000_000_000n;

/** Allowed duration of StopContainer beyond the grace period, in ms. */
const SLACK = 8_000;

/** Stops a container; resolves with the duration in ms. */
async function timeToStop(t: CheckContext, containerId: string, timeout: bigint): Promise<number> {
  const before = t.clock.elapsed();
  await t.cri.stopContainer({ containerId, timeout });
  return t.clock.elapsed() - before;
}

export const timeChecks: Checks = {
  async 'INV-25.order'(t) {
    const sandbox = await t.sandbox();
    const from = t.clock.now() - TOLERANCE;
    const containerId = await t.create(sandbox, { command: ['sh', '-c', 'sleep 0.2; exit 0'] });
    const created = await t.status(containerId);
    mustEqual(
      [created.startedAt, created.finishedAt],
      [0n, 0n],
      'started_at and finished_at of a CREATED container',
    );
    await t.cri.startContainer({ containerId });
    // The first one may end before its status is read.
    const other = await t.start(sandbox, { command: ['sleep', '1000'] });
    mustEqual((await t.status(other)).finishedAt, 0n, 'finished_at of a RUNNING container');
    const { createdAt, startedAt, finishedAt } = await t.exited(containerId);
    const until = t.clock.now() + TOLERANCE;
    must(
      createdAt > 0n && createdAt <= startedAt && startedAt <= finishedAt,
      '0 < created_at <= started_at <= finished_at',
      { createdAt, startedAt, finishedAt },
    );
    must(createdAt >= from && finishedAt <= until, `times within [${from}, ${until}]`, {
      createdAt,
      finishedAt,
    });
  },
  async 'INV-25.sandbox'(t) {
    const from = t.clock.now() - TOLERANCE;
    const { createdAt } = await t.sandboxStatus((await t.sandbox()).id);
    const until = t.clock.now() + TOLERANCE;
    must(createdAt >= from && createdAt <= until, `created_at within [${from}, ${until}]`, String(createdAt));
  },
  async 'INV-26.constant'(t) {
    const sandbox = await t.sandbox();
    const first = await t.create(sandbox);
    const times = await createdAt(t, sandbox.id, first);
    const others = await createdAt(t, (await t.sandbox()).id, await t.create(sandbox));
    for (const [of, time] of Object.entries(times)) {
      const other = others[of] ?? 0n;
      must(other > time, `created_at of the second ${of} > ${time}`, `${other}`);
    }
    await t.cri.startContainer({ containerId: first });
    await t.cri.stopContainer({ containerId: first, timeout: 0n });
    mustEqual(await createdAt(t, sandbox.id, first), times, 'created_at after start and stop');
    await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    mustEqual(await createdAt(t, sandbox.id, first), times, 'created_at after the end of the pod');
  },
};

/**
 * Returns created_at of a sandbox and a container, as their status and as a list shows it: CRI-O takes these from
 * different places.
 */
async function createdAt(
  t: CheckContext,
  id: string,
  containerId: string,
): Promise<Readonly<Record<string, bigint>>> {
  const { items } = await t.cri.listPodSandbox({ filter: { id } });
  const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
  return {
    sandbox: (await t.sandboxStatus(id)).createdAt,
    'sandbox in the list': items[0]?.createdAt ?? 0n,
    container: (await t.status(containerId)).createdAt,
    'container in the list': containers[0]?.createdAt ?? 0n,
  };
}

const ENDS: readonly [string, number, string][] = [
  ['exit 0', 0, 'Completed'],
  ['exit 3', 3, 'Error'],
  ['exit 255', 255, 'Error'],
];

export const exitChecks: Checks = {
  async 'INV-27.code'(t) {
    const sandbox = await t.sandbox();
    for (const [script, code, reason] of ENDS) {
      const status = await t.exited(await t.script(sandbox, script));
      mustEqual([status.exitCode, status.reason], [code, reason], `exit code and reason of "${script}"`);
    }
  },
  async 'INV-27.not-exited'(t) {
    const sandbox = await t.sandbox();
    for (const id of [await t.create(sandbox), await t.start(sandbox)]) {
      const { exitCode, reason } = await t.status(id);
      mustEqual([exitCode, reason], [0, ''], 'exit code and reason');
    }
  },
  async 'INV-27.killed'(t) {
    const sandbox = await t.sandbox();
    const killed = await t.start(sandbox);
    await t.cri.stopContainer({ containerId: killed, timeout: 0n });
    mustEqual((await t.status(killed)).exitCode, 137, 'the exit code after KILL');
    // PID 1 of a PID namespace ignores TERM without a handler, so the handler exits with 143 itself.
    const terminated = await t.trapping(sandbox, 'trap "exit 143" TERM');
    await t.cri.stopContainer({ containerId: terminated, timeout: 10n });
    mustEqual((await t.status(terminated)).exitCode, 143, 'the exit code after TERM');
  },
  async 'INV-28.at-once'(t) {
    const containerId = await t.trapping(await t.sandbox(), 'trap "" TERM');
    const took = await timeToStop(t, containerId, 0n);
    must(took < SLACK, `to return within ${SLACK} ms`, `${Math.round(took)} ms`);
    mustEqual((await t.status(containerId)).exitCode, 137, 'the exit code');
  },
  async 'INV-28.grace'(t) {
    const containerId = await t.trapping(await t.sandbox(), 'trap "" TERM');
    const took = await timeToStop(t, containerId, 1n);
    must(
      took >= 990 && took < 1000 + SLACK,
      `to return after 1000 to ${1000 + SLACK} ms`,
      `${Math.round(took)} ms`,
    );
    mustEqual((await t.status(containerId)).exitCode, 137, 'the exit code');
  },
  async 'INV-28.early'(t) {
    const containerId = await t.trapping(await t.sandbox(), 'trap "exit 7" TERM');
    const took = await timeToStop(t, containerId, 60n);
    must(took < 30_000, 'to return within half the grace period', `${took} ms`);
    mustEqual((await t.status(containerId)).exitCode, 7, 'the exit code that the process chose');
  },
};
