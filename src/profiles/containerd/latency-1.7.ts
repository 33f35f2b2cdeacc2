import type { Latency } from '../latency/latency.js';

/**
 * containerd 1.7.24~ds1, measured on 2026-11-22 by test/peers/profiles with 2 processors, kernel
 * 6.18.44-fc-v769, cgroup v1, load 33.1: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 15 times
  pull: [15.3, 18.2, 40.2, 40.7, 44.4, 47.7, 49.4, 50, 61.5, 88.9, 97.2],
  // 45 times
  runSandbox: [110.3, 151.3, 160, 192.6, 228.9, 261.5, 272.8, 279, 353.1, 380.3, 562.1],
  // 96 times
  createContainer: [6.8, 8.3, 9.2, 10, 13.2, 15.3, 17.9, 22.5, 26.5, 36.8, 88.8],
  // 96 times
  startContainer: [47.2, 66.7, 87.8, 98.1, 110.7, 125.8, 140.5, 160.6, 195, 224, 279.5],
  // 96 times
  startReply: [0, 0, 0, 0, 0.7, 1.9, 2.9, 3.8, 6.3, 16.3, 44],
  // 30 times
  firstStep: [1.1, 7.5, 10.1, 10.7, 12.9, 15.5, 18.5, 19.6, 24, 30.6, 40.9],
  // 64 times
  exec: [21.9, 30, 37.8, 43.4, 49.7, 54.2, 64.5, 74.1, 87.5, 113.3, 184.1],
  // 66 times
  stopContainer: [50.3, 59.8, 64.8, 72.9, 79.6, 85.4, 94.3, 101.2, 114.9, 140.2, 332.5],
  // 96 times
  removeContainer: [1.7, 1.9, 2.1, 2.4, 3, 3.5, 4.9, 7.1, 11.6, 19.8, 48.8],
  // 45 times
  stopSandbox: [101.9, 108.3, 127.7, 130.7, 143.9, 150.8, 173.2, 189.2, 236.3, 263.9, 315.7],
  // 45 times
  removeSandbox: [15.9, 17.6, 19.6, 21.5, 27.7, 37.5, 40.7, 46.5, 56.7, 95.9, 122.5],
};
