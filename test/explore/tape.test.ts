import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { loadSubject } from '../../src/lab/explore/subject/subject.js';
import { simulateChecked } from '../../src/lab/scenario/expect/checked-run.js';
import { recordToFile } from '../../src/tape/file.js';
import { createTape } from '../../src/tape/tape.js';
import { createRecordedNode } from '../support/recordings/node.js';
import { scenarioOf } from '../support/scenario/simulate.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

const pod = (name: string, behaviors: Record<string, string>, spec: object = {}) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: 'app', image: 'nginx:1', args: ['-v'] }], ...spec },
  },
  behaviors,
});

/** Records a scenario as `simulate --record` does, and reads it again as a subject. */
async function throughTape(fields: Record<string, unknown>, name = 'run.tape.gz') {
  const scenario = await scenarioOf(fields);
  const file = join(directory, name);
  const tape = createTape(createVirtualClock());
  const about = { recorder: 'test', kubelet: '1.35' };
  const recording = await recordToFile({ tape, file, about, keep: [] });
  const { result } = await simulateChecked({ scenario, tape, backend: createRecordedNode });
  await recording.close();
  return { result, subject: await loadSubject([file]) };
}

const specOf = (given: { readonly manifest?: unknown } | undefined) =>
  (given?.manifest as { readonly spec: Record<string, unknown> } | undefined)?.spec;

test.each(['run.tape.gz', 'run.tape'])('the pods of %s behave as in the recording', async (name) => {
  const { result, subject } = await throughTape(
    {
      pods: [
        pod('web', { app: 'run' }),
        pod('crash', { app: 'exit=1,after=3s' }),
        pod('job', { app: 'exit=0,after=5s' }, { restartPolicy: 'OnFailure' }),
      ],
      timeline: [{ at: '40s', do: { removePod: 'web' } }],
      until: '90s',
    },
    name,
  );
  expect(subject.kubelet).toMatchObject({ version: '1.35', featureGates: {} });
  expect(subject.pods.map(({ behaviors }) => behaviors)).toEqual([
    { app: 'run' },
    { app: 'exit=1,after=3s' },
    { app: 'exit=0,after=5s' },
  ]);
  expect(subject.pods.map((each) => specOf(each)?.restartPolicy)).toEqual(['Always', 'Always', 'OnFailure']);
  expect(specOf(subject.pods[0])).toMatchObject({
    containers: [{ name: 'app', image: 'nginx:1', args: ['-v'] }],
  });
  expect(subject.timeline).toMatchObject([{ do: { removePod: 'web' } }]);
  expect(subject.until).toBe(90_000);
  const again = await simulateChecked({ scenario: subject, backend: createRecordedNode });
  const shown = ({ rows }: typeof result) =>
    rows.map(({ pod: of, ready, status }) => `${of} ${ready} ${status}`);
  expect(shown(again.result)).toEqual(shown(result));
});

test('later pods, init containers, and the event stream are recognized', async () => {
  const initContainers = [{ name: 'init', image: 'busybox:1' }];
  const { subject } = await throughTape({
    pods: [pod('web', { app: 'run', init: 'exit=0,after=2s' }, { initContainers })],
    kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
    timeline: [{ at: '20s', do: { addPod: pod('later', { app: 'run' }) } }],
    until: '60s',
  });
  expect(specOf(subject.pods[0])).toMatchObject({
    initContainers: [{ name: 'init' }],
    containers: [{ name: 'app' }],
  });
  expect(subject.timeline).toMatchObject([{ do: { addPod: { behaviors: { app: 'run' } } } }]);
  expect(subject.kubelet.featureGates).toEqual({ EventedPLEG: true });
});

test('a tape without pods and a damaged one lead to errors that name the file', async () => {
  const header = {
    ...{ t: 0, kind: 'header', version: 1, startedAt: '0', clock: 'real', recorder: 'x', redacted: [] },
  };
  const empty = join(directory, 'empty.tape');
  writeFileSync(empty, `${JSON.stringify(header)}\n`);
  await expect(loadSubject([empty])).rejects.toThrow(/empty\.tape: this tape has no pod/);
  const damaged = join(directory, 'damaged.tape');
  writeFileSync(damaged, `${JSON.stringify(header)}\n{"t":1,"kind":"nonsense"}\n`);
  await expect(loadSubject([damaged])).rejects.toThrow(/damaged\.tape:2/);
});
