import type { Latency } from '../latency/latency.js';

/**
 * containerd 2.3.7+unknown, measured on 2026-11-24 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v657, cgroup v1, load 11.4: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 20 times
  pull: [7, 9.7, 10, 12.6, 16.4, 19.7, 21.5, 23.6, 24, 63.1, 79],
  // 60 times
  runSandbox: [98.2, 163.9, 180.3, 216.3, 243.4, 271, 289.4, 308.9, 349, 415.3, 536.7],
  // 138 times
  createContainer: [7.2, 8.6, 9.5, 11, 12, 14.7, 20, 24.8, 35.5, 57.1, 121.9],
  // 138 times
  startContainer: [38.8, 51.7, 61.4, 71.3, 79.6, 87.8, 103.4, 120.5, 154.8, 166.2, 248.9],
  // 138 times
  startReply: [0, 0, 0, 0.5, 1.3, 2.6, 3.2, 5.1, 6.8, 14.2, 64.3],
  // 42 times
  firstStep: [0, 1, 1.8, 2.5, 3.4, 3.9, 5.4, 6.4, 12, 20.9, 44.9],
  // 42 times
  exitReport: [17.7, 21.6, 22.6, 32.2, 32.9, 37.1, 49.5, 59.4, 74.4, 110.1, 153.2],
  // 106 times
  exec: [16.8, 27, 34.7, 42.9, 48.9, 57.7, 65.2, 73.1, 83.4, 116.6, 173.8],
  // 96 times
  stopContainer: [20, 29, 33.6, 39.9, 43.2, 50, 55.7, 64.3, 76.1, 100.7, 164.7],
  // 138 times
  removeContainer: [1.2, 1.6, 1.8, 1.9, 2.1, 2.5, 3.4, 6.2, 10.1, 16.9, 44.4],
  // 60 times
  stopSandbox: [127.4, 163.5, 189.3, 202.5, 214.1, 239.6, 268.6, 280.6, 312.7, 380.2, 568.2],
  // 60 times
  removeSandbox: [11.5, 13.4, 15.1, 17.9, 19.9, 23.8, 32.2, 42.3, 55.4, 80.4, 114],
};
