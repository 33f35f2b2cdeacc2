import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();
const file = join(directory, 'web.yaml');
const simulate = (...args: string[]) => runCommand('simulate', file, ...args);

beforeAll(() => {
  const probe = { httpGet: { path: '/', port: 80 }, periodSeconds: 5 };
  const containers = [{ name: 'app', image: 'nginx:1', readinessProbe: probe }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  writeFileSync(file, JSON.stringify(pod));
});

const compared = async (...args: string[]) => JSON.parse((await simulate('--json', ...args)).out);

test("a probe's period, and how long the runtime takes, are compared in one table", async () => {
  const delayed = await compared('--vary', 'readinessProbe.initialDelaySeconds=0,30');
  expect(delayed.columns).toEqual([
    ['readinessProbe.initialDelaySeconds=0'],
    ['readinessProbe.initialDelaySeconds=30'],
  ]);
  const ready = delayed.rows.find(({ ready }: { ready: string }) => ready === '1/1');
  expect(ready.differs).toBe(true);
  expect(ready.times[1] - ready.times[0]).toBeGreaterThan(25);
  const { columns: equal } = await compared('--vary', 'runtime latency');
  expect(equal).toEqual([['runtime latency=none', 'runtime latency=profile']]);
});

slow('several fields, versions and runtimes make a column for each combination', async () => {
  const { columns } = await compared('--vary', 'latency.pull=1s,50s', '--kubelet-version', '1.28,1.37');
  expect(columns.flat()).toEqual([
    '1.28 latency.pull=1s',
    '1.37 latency.pull=1s',
    '1.28 latency.pull=50s',
    '1.37 latency.pull=50s',
  ]);
});

slow('the page has a timeline for each column, and the table', async () => {
  const { code, out } = await simulate('--kubelet-version', '1.28..1.37', '--output', 'html');
  expect(code).toBe(0);
  const names = [...out.matchAll(/data-name="([^"]+)"/g)].map(([, name]) => name);
  const { columns } = await compared('--kubelet-version', '1.28..1.37');
  expect(names).toHaveLength(columns.length);
  expect(columns.length).toBeLessThan(10);
  expect(out).toContain('"comparison":["KUBELET  ');
});

test.each([
  [
    'nonsense.foo=1',
    '--vary: nonsense.foo: neither the scenario nor its pods and containers have such a field',
  ],
  ['image', '--vary: image: give the values to compare'],
  ['periodSeconds=often', '--vary: periodSeconds=often: '],
  ['periodSeconds=', '--vary: expected values after "periodSeconds="'],
])('--vary %s is refused', async (given, message) => {
  const { code, err } = await simulate('--vary', given);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
