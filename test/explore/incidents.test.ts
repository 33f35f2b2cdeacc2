import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test, vi } from 'vitest';
import { loadScenario } from '../../src/scenario/load.js';
import { ofAll, sampleOf } from '../support/thorough.js';
import { discover, hasFinding, type Incident, incidents } from './incidents.js';

vi.setConfig({ testTimeout: 300_000 });

const page = 'docs/explore.md';
const HEADING = '## Incidents that it finds\n';
const updates = process.env.UPDATE_DOCS === '1';

/** A row of the page: what is found, with which kubelet, and after how many schedules. */
async function rowOf(incident: Incident): Promise<string> {
  const { name, version, fixed, rule, kind } = incident;
  const found = await discover(incident);
  if (found === undefined) return `| ${name} | not found |`;
  const isThere = fixed !== undefined && (await hasFinding(incident, fixed, found.finding));
  const { title } = await loadScenario(`scenarios/${name}.yaml`);
  const gone = fixed === undefined ? '' : isThere ? `still in ${fixed}` : fixed;
  return `| ${title.split(':')[0]} (\`${basename(name)}\`) | ${version} | ${kind || 'none'} | \`${rule}\` | ${found.place} of ${found.singles} | ${gone} |`;
}

const some = updates ? incidents : sampleOf(incidents, 4);

test(`docs/explore.md says which incidents are found (${ofAll(some.length, incidents.length, 'incidents')})`, async () => {
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
