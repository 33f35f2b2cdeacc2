import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { incidentsOf, knownIncidents } from './known.js';
import { causeOf } from './search/cause-key.js';

test.each(knownIncidents())('$cause is an incident that names its issues', ({ cause, scenario, issues }) => {
  const text = readFileSync(`scenarios/${scenario}.yaml`, 'utf8');
  for (const issue of issues) expect(text).toContain(issue.replace(/^\w+ /, ''));
  expect(causeOf(cause)).toBe(cause);
});

test('an incident is found by its cause', () => {
  expect(incidentsOf(['state CREATED ContainerStatus'])).toEqual([
    { scenario: 'e13-stale-status', issues: ['kubernetes #23636'] },
  ]);
  expect(incidentsOf([''])).toEqual([]);
});

test.each([
  ['delay 125s StartContainer', 'delay StartContainer'],
  ['lists hang for 40s', 'lists hang'],
  ['lists take 85s once', 'lists hang'],
  ['lists hang from then on', 'lists hang'],
  ['error before for 40s ListContainers', 'error before ListContainers'],
  ['error before 3 times PullImage', 'error before PullImage'],
  ['error before for a time PullImage', 'error before PullImage'],
  ['clock skewed by -1h for 1m', 'clock goes back'],
  ['clock skewed by 1h for 1m', 'clock goes forward'],
  ['runtime restarted for 400ms, state kept', 'runtime restarted, state kept'],
  ['NetworkReady=false for 30s', 'NetworkReady=false'],
  ['no container statuses from then on PodSandboxStatus', 'no container statuses PodSandboxStatus'],
  ['broken five times GetContainerEvents', 'broken GetContainerEvents'],
  ['finished_at in seconds from then on ContainerStatus', 'finished_at in seconds ContainerStatus'],
])('the cause of %j is %j', (kind, cause) => {
  expect(causeOf(kind)).toBe(cause);
});
