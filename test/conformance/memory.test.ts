import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CriClient } from '../../src/cri/client/client.js';
import { connectCri } from '../../src/cri/client/connect.js';
import {
  describeFailure,
  type Report,
  runConformance,
  saveReport,
} from '../../src/suite/conformance/index.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { openTape } from '../../src/tape/read.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';
import { contentsOf } from './contents.js';
import { livePods } from './mutants/pod-life.js';
import { startTestEndpoint } from './test-endpoint.js';

/** Failures as text, so that the test output shows broken rules. */
function rulesOf(report: Report) {
  const { results, left } = saveReport(report);
  const failures = results.filter(({ outcome }) => outcome === 'failed').map(describeFailure);
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id);
  return { failures, skipped, left };
}

/** Checks that make hundreds of calls or send megabytes. */
const HEAVY = /^INV-(16\.|35\.(slow|departed)|43\.(limit|timeout)|44\.validation|60\.ends-at-once|64\.)/;

describe(`the memory backend${isThorough ? '' : ', without the heaviest checks and the tape'}`, () => {
  const directory = useTemporaryDirectory();
  const tape = join(directory, 'suite.tape.gz');
  let report: Report;

  beforeAll(async () => {
    const target = await startTestEndpoint(isThorough ? { record: tape } : {});
    try {
      // One check after the other, so that the tape can be judged.
      // A busy machine makes no rule broken.
      const patient = { timeout: 600_000, patience: 120_000 };
      const some = isThorough ? { parallel: 1 } : { skip: HEAVY };
      report = await runConformance({ ...target, ...patient, ...some });
      if (isThorough) await livePods(target.endpoint);
    } finally {
      await target.close();
    }
  });

  test('keeps every rule', () => {
    expect(rulesOf(report)).toEqual({ failures: [], skipped: [], left: [] });
  });

  test.runIf(isThorough)('has no finding on the tape of the whole suite', async () => {
    const { findings } = await judgeTape(await openTape(tape));
    expect(findings.filter(({ side }) => side === 'runtime')).toEqual([]);
  });
});

async function startBystander(cri: CriClient): Promise<void> {
  const metadata = { name: 'bystander', uid: 'u', namespace: 'default', attempt: 0 };
  const config = { metadata, labels: { app: 'shop' } };
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const image = { image: 'registry.k8s.io/e2e-test-images/nginx:1.14-2' };
  await cri.pullImage({ image });
  const container = { metadata: { name: 'web', attempt: 0 }, image, command: ['sleep', '1000'] };
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: container,
    sandboxConfig: config,
  });
  await cri.startContainer({ containerId });
}

describe.runIf(isThorough)('with the strict state machine', () => {
  let report: Report;
  let before: Awaited<ReturnType<typeof contentsOf>>;
  let after: typeof before;
  let bystander: number | undefined;

  beforeAll(async () => {
    const target = await startTestEndpoint({ transitions: 'strict' });
    const cri = connectCri(target.endpoint);
    try {
      await startBystander(cri);
      before = await contentsOf(cri);
      report = await runConformance(target);
      after = await contentsOf(cri);
      bystander = (await cri.listContainers({})).containers[0]?.state;
    } finally {
      cri.close();
      await target.close();
    }
  });

  test('it keeps all applicable rules', () => {
    const { failures, skipped, left } = rulesOf(report);
    expect({ failures, left }).toEqual({ failures: [], left: [] });
    // Where the id of the bystander has the prefix that is taken, this one protects it.
    expect(skipped.filter((id) => id !== 'INV-14.ambiguous')).toEqual([
      'INV-06.removes-containers',
      'INV-02.remove-created',
      'INV-02.remove-running',
      'INV-16.linearizable',
      'INV-34.removal-order',
      'INV-35.slow',
    ]);
  });

  test('a complete run restores the runtime, and does not touch other objects', () => {
    expect(after).toEqual(before);
    expect(bystander).toBe(1);
  });
});
