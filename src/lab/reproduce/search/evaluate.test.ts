import { expect, test } from 'vitest';
import { parseScenario } from '../../scenario/file/load.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { createEvaluate } from './evaluate.js';
import { evidenceOf } from './evidence.js';
import { plan } from './trials.js';

test('what goes wrong before a failure that was seen may have led to more than that', async () => {
  const scenario = await parseScenario(
    JSON.stringify({
      version: 1,
      pods: [
        {
          manifest: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'web' },
            spec: { containers: [{ name: 'app', image: 'x' }] },
          },
        },
      ],
      until: '20s',
    }),
    'web.yaml',
  );
  const text = 'web 0/1 ContainerCreating 0 10s\nweb 0/1 ErrImagePull 0 12s';
  const seen = joinSeen([readLines(text, 'rows.txt').seen], new Map([['web', 0]]));
  const [failure] = evidenceOf(seen);
  expect(failure?.at).toBe(10_000);
  const planned = plan({ base: 0, version: '1.37', runtime: 'strict' }, failure ? [failure] : [], true);
  const { next } = await createEvaluate({ bases: [scenario], seen })(planned);
  expect(Math.min(...(next ?? []).map(({ at }) => at))).toBeLessThan(1000);
});

test('of messages that follow each other at once, the first one is tried first: the others may be its consequences', async () => {
  const scenario = await parseScenario(
    JSON.stringify({
      version: 1,
      kubelet: { featureGates: { EventedPLEG: true } },
      pods: [
        {
          manifest: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'web' },
            spec: { containers: [{ name: 'app', image: 'x' }] },
          },
          behaviors: { app: 'run' },
        },
      ],
      timeline: [{ at: '30s', do: { exitContainer: { pod: 'web', container: 'app', code: 1 } } }],
      until: '60s',
    }),
    'web.yaml',
  );
  const rows = Array.from({ length: 55 }, (_, second) => `web 1/1 Running 0 ${second + 2}s`);
  const seen = joinSeen([readLines(rows.join('\n'), 'rows.txt').seen], new Map([['web', 0]]));
  const planned = plan({ base: 0, version: '1.35', runtime: 'strict' }, [], true);
  const { next } = await createEvaluate({ bases: [scenario], seen })(planned);
  const lost = (next ?? []).filter(({ kind }) => kind === 'event lost GetContainerEvents');
  expect(lost[0]?.at).toBe(30_000);
});
