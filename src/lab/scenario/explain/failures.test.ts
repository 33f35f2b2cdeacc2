import { expect, test } from 'vitest';
import type { Simulation } from '../run/run.js';
import { explainFailures } from './failures.js';

test.each([
  ['unknown part "exti"; did you mean "exit"?', 'unknown part "exti"; did you mean "exit"?'],
  ['no such device', 'no such device.'],
  ['no such device.', 'no such device.'],
])('a reason ends its sentence: %s', (message, end) => {
  const event = {
    t: 1,
    pod: 'web',
    field: 'spec.containers{app}',
    type: 'Warning',
    reason: 'Failed',
    message,
  };
  const [found] = explainFailures({ events: [event] } as unknown as Simulation);
  expect(found?.text).toBe(`The kubelet could not create or start web/app: ${end}`);
});
