import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import type { SimulationOptions } from './open-simulation.js';

/** What a simulation runs on: simulated containers. */
export const simulationParts: Pick<SimulationOptions, 'backend'> = {
  backend: createMemoryBackend,
};
