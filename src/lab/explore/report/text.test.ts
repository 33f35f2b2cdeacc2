import { expect, test } from 'vitest';
import type { Summary } from './summary.js';
import { summaryText } from './text.js';

const finding = (rule: string, more: object = {}): Summary['findings'][number] => ({
  ...{ rule, kind: rule, message: `${rule} is broken`, pod: 'web', file: 'a.yaml', tape: 'a.tape.gz' },
  ...{
    explanation: 'a.txt',
    replay: 'npx mockri simulate a.yaml',
    perturbations: ['a fault'],
    kubelet: '1.37',
  },
  ...{ cause: rule, decision: 'The kubelet waits.', likely: 1 },
  ...more,
});

test('a known cause is one line below the others', () => {
  const known = finding('gone-soon', { behavior: 'kubernetes #1: by design', explanation: 'out/known.txt' });
  const text = summaryText({
    ...{ schedules: 9, perSecond: 3, coverage: 4, finished: true, causes: [] },
    findings: [known, finding('same-end')],
  });
  expect(text.split('\n')).toEqual([
    '1. same-end: same-end is broken',
    '   The kubelet waits.',
    '   after: a fault',
    '   see a.txt',
    '   npx mockri simulate a.yaml',
    '',
    'Known (see out/known.txt):',
    '  gone-soon, after a fault: kubernetes #1: by design',
    '',
    '9 schedules (3.0 a second), 4 states, 2 findings, 2 causes, 1 of them known',
    '',
  ]);
});
