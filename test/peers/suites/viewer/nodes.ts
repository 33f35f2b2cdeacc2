import { strict as assert } from 'node:assert';
import type { Browser } from 'playwright-core';
import type { NodeRow } from '../../../../src/cluster/describe-node.js';
import { nodeListPage } from '../../../../src/cluster/node-list-page.js';
import { open } from './browser.js';
import { fileOf } from './commands.js';

/** Forty nodes, some with problems. */
export const NODES: readonly NodeRow[] = Array.from({ length: 40 }, (_, index) => {
  const ready = index % 9 === 4 ? 'Kubelet stopped' : index % 13 === 6 ? 'NotReady' : 'Ready';
  const pods = (index * 7) % 31;
  return {
    name: `mock-${index}`,
    ready,
    pods,
    containers: { CREATED: 0, RUNNING: pods, EXITED: index % 4, UNKNOWN: 0 },
    restarts: index % 5 === 3 ? index * 2 : 0,
    rules: index % 8 === 2 ? 2 : 0,
    applied: index % 8 === 2 ? index : 0,
  } as const;
});

/** The list of nodes: its filter, and its button for nodes with problems. */
export async function checkNodes(browser: Browser): Promise<string> {
  const { page, problems } = await open(browser, fileOf('list.html', nodeListPage(NODES)));
  const rows = page.locator('tbody tr:visible');
  const names = () => rows.locator('td:first-child').allTextContents();
  const named = (fits: (node: NodeRow) => boolean) => NODES.filter(fits).map(({ name }) => name);
  assert.deepEqual(
    await names(),
    named(() => true),
  );
  await page.keyboard.press('/');
  await page.keyboard.type('notready');
  assert.deepEqual(
    await names(),
    named(({ ready }) => ready === 'NotReady'),
  );
  const filter = page.getByLabel('Filter by name or state');
  await filter.fill('nothing like this');
  assert.equal(await page.getByText('No node fits.').isVisible(), true);
  await filter.fill('');
  await page.getByRole('button', { name: 'Only trouble' }).click();
  assert.deepEqual(
    await names(),
    named(({ ready, restarts, rules }) => ready !== 'Ready' || restarts > 0 || rules > 0),
  );
  assert.deepEqual(problems, []);
  await page.close();
  return 'the list of nodes';
}
