import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ExploreOptions, SavedExploration } from '../../src/lab/explore/explore.js';
import { writeFinding } from '../../src/lab/explore/report/write.js';
import { simulateChecked } from '../../src/lab/scenario/expect/checked-run.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { openTape } from '../../src/tape/read.js';
import { createRecordedNode } from '../support/recordings/node.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, isThorough } from '../support/thorough.js';
import { explored, subject } from './subject.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

const search = async (options: Partial<ExploreOptions> = {}) =>
  explored({
    scenario: await subject(),
    only: isThorough ? ['state CREATED', 'nothing'] : ['state CREATED'],
    budget: { schedules: countOf(10, 1) },
    ...options,
  });

test('a status that is CREATED after the start is found, reduced, written, and replays', async () => {
  const { findings } = await search();
  const found = findings.find(({ finding }) => finding.rule === 'one-instance');
  expect(found?.kind).toBe('one-instance | state CREATED ContainerStatus');
  expect(found?.finding.schedule).toHaveLength(1);
  if (found === undefined) return;
  const written = await writeFinding(found, { directory, recorder: 'mockri test' });
  const scenario = await loadScenario(written.file);
  const { problems } = await simulateChecked({ scenario, backend: createRecordedNode });
  expect(problems.join()).toContain('rule one-instance');
  expect(readFileSync(written.explanation, 'utf8')).toMatch(
    /Faults[\s\S]*What kubectl showed[\s\S]*What the containers did/,
  );
  const tape = await openTape(written.tape as string);
  expect(tape.header).toMatchObject({ recorder: 'mockri test', kubelet: '1.37' });
});

slow('the reduced scenario keeps nothing that the finding does not need', async () => {
  const scenario = await subject({
    kubelet: { featureGates: { CRIListStreaming: true }, config: { syncFrequency: '50s' } },
    timeline: [{ at: '40s', do: { kubelet: 'restart' } }],
    latency: { pull: '2s' },
  });
  const { findings } = await search({ scenario });
  const found = findings.find(({ finding }) => finding.rule === 'one-instance');
  expect(found?.scenario).toMatchObject({
    timeline: [],
    latency: {},
    kubelet: { featureGates: {}, config: {} },
  });
  const [pod] = found?.scenario.pods ?? [];
  expect(pod?.manifest).toMatchObject({ spec: { containers: [{ name: 'app', image: 'nginx:1' }] } });
  expect(JSON.stringify(pod?.manifest)).not.toContain('terminationGracePeriodSeconds');
});

slow('a scenario that breaks a rule itself is a finding without perturbations', async () => {
  const scenario = await subject({
    faults: [
      {
        match: { method: 'ContainerStatus' },
        when: { times: 1 },
        then: { reply: { patch: { status: { state: 0 } } } },
      },
    ],
  });
  const { findings } = await search({ scenario });
  expect(findings.map(({ kind }) => kind)).toContain('one-instance');
});

slow('what a scenario does without perturbations is not taken away', async () => {
  const error = { code: 'NOT_FOUND', message: 'not found' };
  const scenario = await subject({
    faults: [{ match: { method: 'PullImage' }, when: { times: 1 }, then: { error } }],
    expect: { events: [{ pod: 'web', reason: 'Failed', message: 'Failed to pull image', count: 1 }] },
  });
  const { findings } = await search({
    scenario,
    only: ['error before PullImage'],
    budget: { schedules: 10 },
  });
  expect(findings.map(({ kind }) => kind)).toEqual(['expectation | error before PullImage']);
  expect(findings[0]?.scenario.faults).toHaveLength(1);
});

slow('equal seeds and budgets give equal files', async () => {
  const files = async (name: string) => {
    const { findings } = await search({
      depth: 2,
      only: isThorough ? ['CREATED', 'finished_at'] : ['state CREATED'],
      budget: { schedules: countOf(12, 2) },
    });
    for (const each of findings)
      await writeFinding(each, { directory: join(directory, name), recorder: 'mockri test' });
    const texts = readdirSync(join(directory, name)).filter((file) => !file.endsWith('.gz'));
    return texts.map((file) => [
      file,
      readFileSync(join(directory, name, file), 'utf8').replaceAll(name, ''),
    ]);
  };
  const first = await files('run-1');
  expect(first.length).toBeGreaterThan(0);
  expect(await files('run-2')).toEqual(first);
});

slow('a search that is resumed tries what the whole one tries', async () => {
  const options = { depth: 2, only: ['delay 3s'] };
  let saved: SavedExploration | undefined;
  const whole = await search({ ...options, budget: { schedules: 36 } });
  await search({
    ...options,
    budget: { schedules: 32 },
    onProgress: (_, save) => {
      saved = JSON.parse(JSON.stringify(save())) as SavedExploration;
    },
  });
  const rest = await search({ ...options, budget: { schedules: 36 }, saved });
  expect(rest.schedules).toBe(36);
  expect(rest.coverage).toBe(whole.coverage);
  expect(rest.findings.map(({ kind }) => kind)).toEqual(whole.findings.map(({ kind }) => kind));
});
