import { expect, it } from 'vitest';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import { simulate } from '../../../src/lab/scenario/simulation/simulate.js';
import { simulationParts } from '../../../src/lab/scenario/simulation/simulation-parts.js';

/** What never waits, or hardly: in a simulation each millisecond of it would cost as much. */
const scripts = {
  'a megabyte each 10 ms': "while :; do head -c 1000000 /dev/zero | tr '\\0' x; sleep 0.01; done",
  'lines without end': 'yes',
  'bytes without end': 'cat /dev/zero',
  'a table that is drawn without a pause': 'top -b -d 0',
  'a file that is followed without a pause': ': >f; tail -f -s 0 f',
  'packets without a pause': 'ping -i 0 10.9.9.9',
  'a loop': 'while :; do :; done',
  'two writers': 'yes & yes x',
};

it.each(Object.entries(scripts))('a minute of a container with %s is simulated', async (_, script) => {
  const containers = [{ name: 'app', image: 'busybox:1', command: ['sh', '-c', script] }];
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'busy' }, spec: { containers } };
  const text = JSON.stringify({ version: 1, until: '1m', pods: [{ manifest }] });
  const { rows } = await simulate({ ...simulationParts, scenario: await parseScenario(text, 'busy.yaml') });
  expect(rows.at(-1)).toMatchObject({ status: 'Running', restarts: 0 });
});
