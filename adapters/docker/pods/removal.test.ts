import type { Container } from 'dockerode';
import { expect, it } from 'vitest';
import { removeFromDocker } from './removal.js';

const refusal = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
const inProgress = refusal(409, 'removal of container mockri-c1 is already in progress');

/** A container that gives these answers to `remove`, one by one; then it is removed. */
function createContainer(...answers: Error[]) {
  const calls: string[] = [];
  const container = {
    remove: async () => {
      calls.push('remove');
      const answer = answers.shift();
      if (answer !== undefined) throw answer;
    },
    wait: async ({ condition }: { condition: string }) => {
      calls.push(`wait until ${condition}`);
      throw refusal(404, 'no such container');
    },
  };
  return { container: container as unknown as Container, calls };
}

it('takes a container that is gone for removed', async () => {
  const { container, calls } = createContainer(refusal(404, 'no such container'));
  await removeFromDocker(container);
  expect(calls).toEqual(['remove']);
});

it('waits for the end of a removal in progress', async () => {
  const { container, calls } = createContainer(inProgress, refusal(404, 'no such container'));
  await removeFromDocker(container);
  expect(calls).toEqual(['remove', 'wait until removed', 'remove']);
});

it.each([refusal(409, 'cannot be removed'), refusal(500, 'device or resource busy')])(
  'reports what Docker refuses: %s',
  async (error) => {
    const { container } = createContainer(error);
    await expect(removeFromDocker(container)).rejects.toBe(error);
  },
);

it('reports why the removal that it waited for failed', async () => {
  const { container } = createContainer(inProgress, refusal(500, 'device or resource busy'));
  await expect(removeFromDocker(container)).rejects.toThrow('device or resource busy');
});
