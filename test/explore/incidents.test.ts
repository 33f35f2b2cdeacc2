import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { isThorough, ofAll, sampleOf } from '../support/thorough.js';
import { discover, faultsOf, hasFinding, type Incident, incidents, withoutFaults } from './incidents.js';
import { explored } from './subject.js';

const slow = test.runIf(isThorough);

const page = 'docs/results/explore.md';
const HEADING = '## Incidents that it finds\n';
const updates = process.env.UPDATE_DOCS === '1';

/**
 * A row of the page: what is found, with which kubelet, and after how many schedules. It takes no more perturbations than the
 * scenario has faults, and the kubelet that fixed it does not have it.
 */
async function rowOf(incident: Incident): Promise<string> {
  const { name, version, fixed, rule, kind } = incident;
  const found = await discover(incident);
  if (found === undefined) return `| ${name} | not found |`;
  expect(found.finding.schedule.length, `perturbations of ${name}`).toBeLessThanOrEqual(
    await faultsOf(incident),
  );
  if (fixed !== undefined)
    expect(await hasFinding(incident, fixed, found.finding), `${name} with ${fixed}`).toBe(false);
  const { title } = await loadScenario(`scenarios/${name}.yaml`);
  return `| ${title.split(':')[0]} (\`${basename(name)}\`) | ${version} | ${kind || 'none'} | \`${rule}\` | ${found.place} of ${found.singles} | ${fixed ?? ''} |`;
}

const some = updates ? incidents : sampleOf(incidents, 1);

test('at least 14 incidents are found', () => {
  expect(incidents.length).toBeGreaterThanOrEqual(14);
});

test(`docs/results/explore.md says which incidents are found (${ofAll(some.length, incidents.length, 'incidents')})`, async () => {
  const rows: string[] = [];
  for (const incident of some) rows.push(await rowOf(incident));
  const text = readFileSync(page, 'utf8');
  if (updates) {
    const [before = '', after = ''] = text.split(HEADING);
    const [intro = ''] = after.split('\n| incident');
    const rest = after.includes('\n## ') ? `\n## ${after.split('\n## ').slice(1).join('\n## ')}` : '';
    const head =
      '| incident | kubelet | perturbation | rule | schedules | gone in |\n| --- | --- | --- | --- | --- | --- |';
    writeFileSync(page, `${before}${HEADING}${intro}\n${head}\n${rows.join('\n')}\n${rest}`);
  }
  const cells = (row: string) => row.replace(/ *\| */g, '|');
  const written = readFileSync(page, 'utf8').split('\n').map(cells);
  expect(rows.map(cells).filter((row) => !written.includes(row))).toEqual([]);
});

slow('E9 takes two perturbations, and is found as a pair', async () => {
  const { findings } = await explored({
    scenario: await withoutFaults('e09-event-channel-full', '1.36'),
    depth: 2,
    only: ['RuntimeReady=false for 30s', 'event 1000 times'],
    budget: { schedules: 26 },
  });
  const kind = 'node-ready | RuntimeReady=false for 30s | event 1000 times GetContainerEvents';
  expect(findings.map((each) => each.kind)).toContain(kind);
  const found = findings.find((each) => each.kind === kind);
  expect(found?.finding.message).toContain('pleg event channel capacity is full');
});
