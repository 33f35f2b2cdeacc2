import type { Latency } from '../latency/latency.js';

/**
 * cri-o 1.36.1, measured on 2026-11-26 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v669, cgroup v1, load 16.8: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 20 times
  pull: [21.9, 25.6, 26.7, 27.2, 33.7, 35.4, 47.9, 52.7, 65.1, 66.7, 68.8],
  // 60 times
  runSandbox: [189.1, 205.2, 224.1, 239.4, 247.8, 259.6, 265.7, 289.8, 306.3, 326, 398.7],
  // 141 times
  createContainer: [86.3, 107, 117.4, 132.5, 143.1, 149.8, 159.8, 171.8, 182.6, 205.6, 242.2],
  // 141 times
  startContainer: [10.2, 13.9, 16, 17.3, 19.3, 20.4, 21.9, 23.8, 26.1, 28.4, 42.8],
  // 141 times
  startReply: [1.6, 12, 15.3, 17.9, 20.7, 26.4, 29.8, 32.1, 38.8, 52.6, 104.6],
  // 44 times
  firstStep: [0, 0, 0, 0, 0, 0, 0, 0.5, 1.7, 3.1, 5.3],
  // 44 times
  exitReport: [26, 34.6, 39.3, 42.8, 52.1, 55.7, 58.2, 69, 80.5, 90, 126.1],
  // 108 times
  exec: [32.1, 38.8, 43.2, 46.5, 51.2, 54.9, 58.7, 64, 67.2, 73.5, 85.2],
  // 97 times
  stopContainer: [33, 59, 65.1, 76.1, 85.5, 96.5, 111, 126.2, 146, 160.6, 225.3],
  // 141 times
  removeContainer: [9.6, 14.9, 17.7, 19.6, 21.3, 22.5, 24.6, 27.4, 31.5, 35.3, 46.3],
  // 60 times
  stopSandbox: [217.9, 237.1, 253.1, 258.5, 269, 279.2, 288, 297.2, 306.1, 320.2, 377.2],
  // 60 times
  removeSandbox: [10, 16, 18.7, 19.8, 21.4, 24.5, 25.9, 29.2, 31.8, 35.3, 40],
};
