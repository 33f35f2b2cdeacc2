import { around, type Latency } from './latency.js';

/** What containerd 2.1 took for a real kubelet on two cores, about: the times of simulations that name no runtime. */
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
