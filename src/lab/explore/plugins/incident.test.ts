import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { loadPluginIncident, pluginIncidentFile } from './incident.js';

const directory = useTemporaryDirectory();

function fileWith(schedule: object[]): string {
  const file = join(directory, 'incident.yaml');
  writeFileSync(
    file,
    JSON.stringify({ version: 1, title: 't', see: 's', why: 'w', schedule, breaks: 'sees-once' }),
  );
  return file;
}

test('an operation that the pods do not have is an error that names those that they have', async () => {
  await expect(loadPluginIncident(fileWith([{ do: 'restart', before: 'create web/ap' }]))).rejects.toThrow(
    /schedule\[0\]\.before: there is no operation "create web\/ap"; did you mean "create web\/app"\?; there are run job, /,
  );
});

test('a kind of perturbation that is none is an error with the place', async () => {
  await expect(loadPluginIncident(fileWith([{ do: 'restrat', before: 'create web/app' }]))).rejects.toThrow(
    /incident\.yaml:1:\d+: schedule\[0\]\.do: .*did you mean "restart"/,
  );
});

test('an incident that comes with Mockri is found by its name, and manifests are none', () => {
  expect(pluginIncidentFile('restart-race')).toMatch(/scenarios\/plugins\/restart-race\.yaml$/);
  expect(pluginIncidentFile('no-such-incident')).toBeUndefined();
  const manifest = join(directory, 'pod.yaml');
  writeFileSync(manifest, 'apiVersion: v1\nkind: Pod\n');
  expect(pluginIncidentFile(manifest)).toBeUndefined();
});
