import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import type { SimulationOptions } from './open-simulation.js';

export const simulationParts: Pick<SimulationOptions, 'backend'> = {
  backend: createMemoryBackend,
};
