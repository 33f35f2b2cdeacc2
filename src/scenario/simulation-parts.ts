import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { statusOf } from '../server/status.js';
import type { SimulationOptions } from './simulation.js';

/** What a simulation runs on: simulated containers, and errors as the server answers them. */
export const simulationParts: Pick<SimulationOptions, 'backend' | 'codeOf'> = {
  backend: (clock) => createMemoryBackend({ clock }),
  codeOf: (error) => statusOf(error, String).code,
};
