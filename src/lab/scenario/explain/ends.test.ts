import { expect, test } from 'vitest';
import type { SimulatedContainerEvent } from '../run/run.js';
import { endText } from './ends.js';

const ended = (exitCode: number, imageCommand?: string): SimulatedContainerEvent => ({
  ...{ t: 9, pod: 'web', container: 'app', attempt: 0, what: 'ended', exitCode },
  ...(imageCommand !== undefined && { imageCommand }),
});

test.each([
  [
    0,
    'sh',
    'with exit code 0, because it has neither a behavior nor a command: its image runs "sh", which exits when it has no input',
  ],
  // The runtime lost it, or it was killed: the shell of the image is not why.
  [137, 'sh', 'with exit code 137'],
  [1, undefined, 'with exit code 1'],
])('exit code %d of an image that runs %s: %s', (code, command, text) => {
  const end = ended(code, command);
  expect(endText(end, [end])).toBe(text);
});
