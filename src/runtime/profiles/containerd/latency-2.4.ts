import type { Latency } from '../latency/latency.js';

/**
 * containerd 2.4.2+unknown, measured on 2026-11-24 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v657, cgroup v1, load 34.6: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 20 times
  pull: [14.1, 16, 19.2, 20.6, 25.1, 28.9, 47.6, 52.8, 58.1, 72.1, 85.4],
  // 60 times
  runSandbox: [116, 159.4, 218.4, 251.2, 284, 325.9, 372.1, 408.8, 448.3, 515.3, 704],
  // 144 times
  createContainer: [6.7, 8.6, 9.6, 10.8, 13, 16.4, 19.9, 25.1, 40.8, 75, 124.9],
  // 144 times
  startContainer: [34.7, 64.4, 79.1, 89.9, 104.8, 123.4, 137.1, 161.7, 179.5, 208.6, 294.4],
  // 144 times
  startReply: [0, 0, 0, 0, 0.8, 2.2, 2.7, 6.2, 10.8, 16.1, 65.4],
  // 49 times
  firstStep: [0, 1, 1.2, 2.1, 3.7, 5.4, 7.3, 11.4, 22.5, 31.9, 112.1],
  // 49 times
  exitReport: [37.6, 45.9, 49.2, 63.8, 71.9, 79.4, 88.4, 99.4, 115, 148.3, 186.5],
  // 94 times
  exec: [14.9, 31.1, 36.2, 43.4, 54.9, 59.8, 68.1, 75.7, 100.1, 115.3, 209.7],
  // 95 times
  stopContainer: [49.8, 60, 65, 70.9, 78.5, 93.2, 100, 106.8, 128.1, 150.5, 269.1],
  // 144 times
  removeContainer: [1.1, 1.4, 1.7, 2.3, 3.2, 5.3, 7.3, 10, 15.6, 21.9, 41.5],
  // 60 times
  stopSandbox: [133.4, 161.9, 175.3, 191.1, 218.9, 226.5, 248.4, 301.2, 320.4, 367.9, 482.7],
  // 60 times
  removeSandbox: [11.6, 14.1, 15.8, 17.1, 22.3, 26, 33, 39.6, 57.9, 89.6, 202.9],
};
