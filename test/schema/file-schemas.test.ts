import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { nodeFileSchema } from '../../src/cli/commands/node/settings.js';
import { serveFileSchema } from '../../src/cli/commands/serve/settings.js';
import { strict } from '../../src/kubelet/kubernetes/fields.js';
import { clusterScenarioSchema } from '../../src/lab/cluster/file/schema.js';
import { pluginIncidentSchema } from '../../src/lab/explore/plugins/incident.js';
import { scenarioSchema } from '../../src/lab/scenario/file/schema.js';
import { faultFileSchema } from '../../src/runtime/faults/language/file.js';
import { latencyFileSchema } from '../../src/runtime/profiles/latency/choose-latency.js';

/**
 * For editors and other tools: JSON Schemas of all files that people write, made of what the parsers check. After a
 * change: `npx vitest run test/schema --update`.
 */
const schemas = {
  scenario: { title: 'A Mockri scenario', type: scenarioSchema(strict) },
  cluster: { title: 'A scenario of mockri cluster', type: clusterScenarioSchema },
  faults: { title: 'Mockri fault rules', type: faultFileSchema },
  latency: { title: "How long a runtime's operations take in Mockri", type: latencyFileSchema },
  'plugin-incident': { title: 'What happens to a node resource plugin', type: pluginIncidentSchema },
  serve: { title: 'Settings of mockri serve', type: serveFileSchema },
  node: { title: 'Settings of mockri node', type: nodeFileSchema },
};

test.each(Object.entries(schemas))(
  'schemas/%s.schema.json is up to date with the parser',
  async (name, { title, type }) => {
    const schema = z.toJSONSchema(type, { io: 'input', target: 'draft-07', reused: 'ref' });
    const text = JSON.stringify({ title, ...schema }, null, 2);
    await expect(`${text}\n`).toMatchFileSnapshot(`../../schemas/${name}.schema.json`);
  },
);

/** A checker that knows only the file in schemas/, as an editor does. */
function checkerOf(name: keyof typeof schemas) {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return z.fromJSONSchema(JSON.parse(readFileSync(file, 'utf8')));
}

describe('scenarios', () => {
  const directory = new URL('../../scenarios/', import.meta.url);
  const files = readdirSync(directory).filter((file) => file.endsWith('.yaml'));
  let check: z.ZodType;
  beforeAll(() => {
    check = checkerOf('scenario');
  });

  test.each(files)('%s names the schema in its first line, and fits it', (file) => {
    const text = readFileSync(new URL(file, directory), 'utf8');
    const named = /^# yaml-language-server: \$schema=(.*)\n/.exec(text)?.[1] ?? '';
    expect(new URL(named, directory).pathname).toMatch(/\/schemas\/scenario\.schema\.json$/);
    expect(check.safeParse(parse(text)).error?.issues).toBeUndefined();
  });
});

test.each([
  ['scenario', { version: 1, until: '1m', expct: {} }, 'expct'],
  ['scenario', { version: 1, until: '1m', expect: { rows: [{ pod: 'web', state: 'Running' }] } }, 'state'],
  ['cluster', { version: 1, cluster: { kubernetes: '1.37' }, until: '1m', fault: [] }, 'fault'],
  ['faults', { version: 1, faults: [{ match: { methd: 'Version' }, then: { error: {} } }] }, 'methd'],
  ['latency', { version: 1, operations: { startContaner: '1s' } }, 'startContaner'],
  ['serve', { 'api-levle': 'v0.37' }, 'api-levle'],
  ['node', { version: 1, taints: [{ key: 'a', effect: 'NoSchedul' }] }, 'NoSchedul'],
] as const)('the schema of %s files refuses the same errors as the parser', (name, written, mistake) => {
  expect(JSON.stringify(schemas[name].type.safeParse(written).error?.issues)).toContain(
    mistake === 'NoSchedul' ? 'effect' : mistake,
  );
  expect(checkerOf(name).safeParse(written).success).toBe(false);
});

test.each([
  [
    'serve',
    { listen: 'tcp://127.0.0.1:0', images: [{ match: '*/slow:*', latency: '1m' }], reflection: true },
  ],
  ['node', { version: 1, nodes: 3, labels: { zone: 'a' }, taints: [{ key: 'a', effect: 'NoSchedule' }] }],
  ['latency', { version: 1, base: 'containerd-2.4', operations: { startContainer: '300ms' } }],
] as const)('the schema of %s files allows the same input as the parser', (name, written) => {
  expect(schemas[name].type.safeParse(written).error?.issues).toBeUndefined();
  expect(checkerOf(name).safeParse(written).error?.issues).toBeUndefined();
});
