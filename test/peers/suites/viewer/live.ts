import { strict as assert } from 'node:assert';
import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { checkAccessibility, open } from './browser.js';
import { fileOf, scratch, start } from './commands.js';

const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-web}
spec:
  containers:
  - {name: app, image: "nginx:1"}
`;

/** The page of a running server: rules and containers, and the kubelet's reactions. */
export async function checkLive(browser: Browser): Promise<string> {
  mkdirSync(`${scratch}/pods`);
  const socket = `unix://${scratch}/cri.sock`;
  const server = await start('serve', '--listen', socket, '--control', '127.0.0.1:0');
  const { control } = JSON.parse(server.line) as { control: string };
  const { page, problems } = await open(browser, `${control}/`);
  await page.getByText('There are no pods.').waitFor();
  fileOf('pods/web.yaml', POD);
  const at = ['--pod-manifest-path', `${scratch}/pods`, '--root-dir', `${scratch}/kubelet`];
  const logs = ['--pod-logs-dir', `${scratch}/logs`, '--hostname-override', 'node'];
  const kubelet = await start('kubelet', '--container-runtime-endpoint', socket, ...at, ...logs);
  await page.getByLabel('End app with exit code 1').waitFor();
  assert.deepEqual(problems, []);

  const shorthand = page.getByLabel('Fault rule in shorthand');
  await shorthand.fill('StartContainer=banana');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('unknown action "banana"').waitFor();
  // The browser itself reports the refusal.
  assert.equal(problems.length, 1);
  await shorthand.fill('StartContainer=1*error(UNAVAILABLE)');
  await page.getByRole('button', { name: 'Add' }).click();
  const rule = page.locator('tbody tr', { hasText: 'error-StartContainer-1' });
  await rule.waitFor();
  await page.getByLabel('End app with exit code 1').click();
  await rule.locator('td:nth-child(3)', { hasText: '1' }).waitFor();
  await page.getByText('#2').or(page.getByText('#1')).first().waitFor();
  await page.locator('.state.good').waitFor();
  await page.getByLabel('Remove rule error-StartContainer-1').click();
  await page.getByText('There are no fault rules.').waitFor();
  await page.getByLabel('End app as if it used too much memory').click();
  await page.getByText('exit 137 OOMKilled').first().waitFor();

  await page.getByRole('tab', { name: 'What happened' }).click();
  await page.getByText('ends with exit code 137 (OOMKilled)').first().waitFor();
  await page
    .getByText('Fault rule "error-StartContainer-1" fired: error on StartContainer')
    .first()
    .waitFor();
  await checkAccessibility(page, 'the live page');
  kubelet.stop();
  server.stop();
  await page.getByText('The connection to the server is lost.').waitFor();
  await page.close();
  return 'a running server';
}
