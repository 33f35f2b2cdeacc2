import { expect, test } from 'vitest';
import { shrink } from './shrink.js';
import { type Sequence, showStep } from './steps.js';

const step = (method: string, container?: string) => ({
  calls: [{ method, form: '', ...(container === undefined ? {} : { container }) }],
});

/** Shows if a container is created and later started, whatever is around it. */
const shows = async (sequence: Sequence): Promise<boolean> => {
  const methods = sequence.flatMap(({ calls }) => calls.map(({ method }) => method));
  const created = methods.indexOf('CreateContainer');
  return created >= 0 && methods.lastIndexOf('StartContainer') > created;
};

test('the shortest sequence is left', async () => {
  const sequence: Sequence = [
    step('RunPodSandbox'),
    step('CreateContainer', 'c1'),
    step('Version'),
    step('StopContainer', 'c1'),
    { calls: [...step('StartContainer', 'c1').calls, ...step('StartContainer', 'c1').calls] },
    step('RemoveContainer', 'c1'),
  ];
  const shortest = await shrink(sequence, 4, shows);
  expect(shortest.map(showStep)).toEqual(['CreateContainer c1', 'StartContainer c1']);
});

test('what does not show again stays as it was', async () => {
  const sequence: Sequence = [step('Version'), step('Status')];
  expect(await shrink(sequence, 1, async () => false)).toEqual(sequence);
});
