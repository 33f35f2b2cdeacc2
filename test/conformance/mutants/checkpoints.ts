import { before, type Mutant, mutant, now, onFailure } from './mutant.js';

const SECOND = 1_000_000_000n;

export const checkpointMutants: readonly Mutant[] = [
  mutant('CheckpointPod leaves the containers stopped', 'INV-55.checkpoint', (real) => ({
    checkpointPod: async (request, call) => {
      const reply = await real.checkpointPod(request, call);
      for (const containerId of request.containerIds)
        await real.stopContainer({ containerId, timeout: 0n }, call);
      return reply;
    },
  })),
  mutant('CheckpointPod writes nothing', 'INV-55.checkpoint', () => ({ checkpointPod: async () => ({}) })),
  mutant('a failed CheckpointPod leaves a container stopped', 'INV-55.failure', (real) => ({
    ...onFailure('checkpointPod', async (error, { containerIds: [containerId = ''] }, _, call) => {
      await real.stopContainer({ containerId, timeout: 0n }, call);
      throw error;
    })(real),
  })),
  mutant(
    'CheckpointPod accepts unknown options',
    'INV-55.options',
    before('checkpointPod', (request) => {
      request.options = {};
    }),
  ),
  mutant('CheckpointPod works without a deadline', 'INV-55.deadline', (real) => ({
    checkpointPod: (request, call) =>
      real.checkpointPod(request, { signal: call.signal, deadline: call.deadline ?? now() + 30n * SECOND }),
  })),
  mutant('RestorePod starts the containers', 'INV-55.restore', (real) => ({
    restorePod: async (request, call) => {
      const reply = await real.restorePod(request, call);
      for (const { containerId } of reply.restoredContainers)
        await real.startContainer({ containerId }, call);
      return reply;
    },
  })),
  mutant('CheckpointContainer writes nothing', 'INV-55.container', () => ({
    checkpointContainer: async () => ({}),
  })),
  mutant('RestorePod ignores unknown options', 'INV-55.restore-refused', (real) => ({
    restorePod: (request, call) => real.restorePod({ ...request, options: {} }, call),
  })),
];
