import type { Latency } from '../latency/latency.js';

/**
 * containerd 2.1.9+unknown, measured on 2026-11-22 by test/peers/profiles with 2 processors, kernel
 * 6.18.44-fc-v769, cgroup v1, load 32.5: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 15 times
  pull: [15, 20.2, 21.9, 23.2, 24.2, 26.5, 37.9, 38.4, 46.7, 59, 82.3],
  // 45 times
  runSandbox: [141.4, 165.1, 205.2, 229.3, 243.1, 271.1, 316.6, 351.9, 385.8, 439.8, 527.2],
  // 112 times
  createContainer: [7.6, 10.1, 11.8, 12.8, 14.3, 17.4, 20.6, 26.8, 32.8, 45.4, 73.6],
  // 112 times
  startContainer: [33.4, 59.8, 72.6, 82.1, 88, 96.9, 116.2, 130.9, 152.5, 190.1, 297.7],
  // 112 times
  startReply: [0, 0, 0, 0, 1.5, 3.5, 4.7, 6.1, 9.5, 14.8, 26.3],
  // 36 times
  firstStep: [0.4, 7.5, 11.9, 13.4, 15.7, 17.6, 23.7, 31.1, 35.7, 50, 75.1],
  // 82 times
  exec: [25.3, 40.5, 45.4, 51.9, 59.1, 65.6, 71.3, 76.9, 95.7, 127.7, 198.8],
  // 76 times
  stopContainer: [39.1, 46.4, 51.2, 59.4, 63.5, 69.9, 82.8, 89.8, 99.6, 119.2, 190.2],
  // 112 times
  removeContainer: [2.3, 3.1, 3.6, 4.1, 5.2, 6.8, 8.2, 11.4, 17.2, 25.1, 77.7],
  // 45 times
  stopSandbox: [111.6, 133.4, 145.7, 161.5, 175.5, 190.6, 215.7, 226.7, 255, 331.8, 431.8],
  // 45 times
  removeSandbox: [16.4, 21.8, 22.4, 25.3, 27.5, 29.6, 31.5, 32.9, 37.5, 54, 83],
};
