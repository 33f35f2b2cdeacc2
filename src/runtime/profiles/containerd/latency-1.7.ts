import type { Latency } from '../latency/latency.js';

/**
 * containerd 1.7.24~ds1, measured on 2026-11-22 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v595, cgroup v1, load 14.6: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 15 times
  pull: [16, 17.1, 20, 21.2, 22.1, 24, 24.7, 27.7, 44.5, 46.4, 55.8],
  // 45 times
  runSandbox: [193.3, 232.2, 271.5, 278.2, 312.5, 339.1, 354.1, 396.2, 452.2, 557.2, 624.1],
  // 96 times
  createContainer: [11.1, 14.5, 17.2, 19.2, 21.5, 24.6, 26.5, 32.3, 40.4, 51.2, 90.4],
  // 96 times
  startContainer: [72.6, 95.1, 108.7, 115.6, 126.7, 135.3, 143, 172.4, 199.2, 232.3, 325.4],
  // 96 times
  startReply: [0, 0, 0, 0, 1.4, 2.3, 3.6, 4.5, 6.3, 11.3, 24],
  // 30 times
  firstStep: [0.6, 12.1, 13.4, 14.8, 16.7, 19.5, 21.7, 24.8, 27.3, 29.9, 45],
  // 30 times
  exitReport: [57.6, 63.6, 70.9, 75.6, 82, 91.3, 103.7, 110.4, 120.7, 137.9, 160.3],
  // 64 times
  exec: [34.7, 43.3, 49.1, 54.5, 58.8, 63.9, 70.2, 79.6, 88.3, 102.3, 125.7],
  // 66 times
  stopContainer: [69.4, 85, 94.5, 101.3, 113.3, 115.9, 117.7, 127.7, 146.7, 177.9, 231.9],
  // 96 times
  removeContainer: [1.4, 1.9, 2.4, 2.7, 3.2, 3.9, 5.2, 6.1, 8.1, 11.3, 32.5],
  // 45 times
  stopSandbox: [154.4, 174.3, 194.3, 214.9, 226.1, 250.2, 269, 282.4, 315.6, 337.6, 422.6],
  // 45 times
  removeSandbox: [20.1, 25.2, 26.5, 27.9, 29.4, 35.7, 41.8, 45, 51.3, 63.4, 94.5],
};
