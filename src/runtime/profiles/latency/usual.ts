import { around, type Latency } from './latency.js';

/** Approximate times of containerd 2.1 with a real kubelet on two cores: for simulations without a runtime's name. */
export const usualLatency: Latency = {
  runSandbox: around(80),
  stopSandbox: around(40),
  createContainer: around(15),
  startContainer: around(35),
  startReply: around(5),
  firstStep: around(30),
  stopContainer: around(30),
  exec: around(50),
  pull: around(500),
};
