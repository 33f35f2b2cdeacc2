import { expect, test } from 'vitest';
import { toJunit } from './junit.js';
import type { SummaryFinding } from './summary.js';

const finding = (rule: string, more: Partial<SummaryFinding> = {}): SummaryFinding => ({
  rule,
  kind: `${rule} | state CREATED ContainerStatus`,
  message: 'it runs <twice>\nand more',
  pod: 'web',
  file: 'a.yaml',
  tape: 'a.tape.gz',
  explanation: 'a.txt',
  replay: 'npx mockri simulate a.yaml',
  perturbations: ['state CREATED'],
  kubelet: '1.36',
  cause: rule,
  decision: '',
  likely: 4,
  ...more,
});
const summary = { schedules: 1, perSecond: 1, coverage: 1, finished: true, causes: [] };

test('a finding is a failure, a known one is skipped, and a rule that nothing breaks passes', () => {
  const text = toJunit({
    ...summary,
    findings: [finding('one-instance'), finding('same-end', { known: 'accepted' })],
  });
  expect(text).toMatch(/<testsuite name="mockri explore" tests="\d+" failures="1" errors="0" skipped="1">/);
  expect(text).toContain('<failure message="it runs &lt;twice&gt;">');
  expect(text).toContain('<skipped message="accepted"/>');
  expect(text).toContain('<testcase classname="mockri explore" name="node-ready"/>');
  expect(text).not.toContain('name="one-instance"/>');
});
