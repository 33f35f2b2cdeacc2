/** `mockri/simulation`: scenarios, and the thin kubelet, as a library (docs/testing.md). */
export { InputError } from '../../base/input/yaml.js';
export { loadScenario, parseScenario } from './file/load.js';
export type { LoadedScenario } from './file/loaded-scenario.js';
export { libraryFiles as scenarioLibrary } from './file/scenario-files.js';
export type {
  RunEntry,
  SimulatedBackOff,
  SimulatedCall,
  SimulatedContainerEvent,
  SimulatedEvent,
  SimulatedFault,
  SimulatedLine,
  SimulatedMetrics,
  SimulatedNodeState,
  SimulatedRest,
  SimulatedRow,
  SimulatedStep,
  Simulation,
} from './run/run.js';
export {
  type OpenSimulationOptions,
  openSimulation,
  type RunScenarioOptions,
  runScenario,
  type ScenarioResult,
} from './run-scenario.js';
export type { OpenSimulation } from './simulation/open-simulation.js';
export { startKubelet, type ThinKubelet, type ThinKubeletOptions } from './thin-kubelet.js';
