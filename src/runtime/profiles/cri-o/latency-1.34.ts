import type { Latency } from '../latency/latency.js';

/**
 * cri-o 1.34.0, measured on 2026-11-23 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v669, cgroup v1, load 4.4: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 10 times
  pull: [13.2, 14.7, 14.9, 14.9, 15.5, 15.8, 17.8, 22.6, 22.6, 29.5, 34.2],
  // 30 times
  runSandbox: [108.6, 118.9, 136.7, 145.1, 146, 154, 157.4, 162.3, 177.8, 189.6, 220.7],
  // 65 times
  createContainer: [63.3, 75.3, 83.7, 89.5, 97.7, 101.2, 111.3, 118.6, 125.5, 136.1, 170.3],
  // 65 times
  startContainer: [6.9, 7.4, 7.6, 8.2, 8.5, 8.9, 9.6, 10.5, 11.8, 13.5, 19.2],
  // 65 times
  startReply: [4.5, 7.3, 8.5, 9.4, 10.3, 12.6, 13.3, 14.6, 17.8, 21.3, 33.4],
  // 24 times
  firstStep: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
  // 24 times
  exitReport: [14.8, 15.7, 16.2, 17.5, 17.6, 18.3, 19.7, 21.2, 22.7, 23.3, 34.9],
  // 40 times
  exec: [17.1, 18.7, 22.4, 24.4, 25.6, 28.8, 31.5, 34.9, 36, 41.6, 51.3],
  // 41 times
  stopContainer: [25.6, 26.6, 29.3, 32.6, 33.5, 35, 37.9, 40.3, 42.6, 50.5, 86.4],
  // 65 times
  removeContainer: [13.2, 14.8, 15.3, 16.1, 17.3, 20.1, 21, 22.6, 26, 30.3, 38.5],
  // 30 times
  stopSandbox: [177.6, 190.8, 195.2, 199.7, 200.8, 203.8, 211.6, 219.1, 223.5, 236.9, 353.1],
  // 30 times
  removeSandbox: [11.5, 12.8, 14.3, 14.6, 15.8, 17.4, 17.9, 23.1, 24.2, 27, 31.7],
};
