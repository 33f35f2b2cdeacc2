import type { Latency } from '../latency/latency.js';

/**
 * cri-o 1.36.1, measured on 2026-11-26 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v669, cgroup v1, load 23.1: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 1 times
  pull: [50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50],
  // 3 times
  runSandbox: [226.6, 226.6, 226.6, 226.6, 226.6, 255, 255, 255, 255, 255, 255],
  // 7 times
  createContainer: [85.4, 110.6, 110.6, 110.7, 110.7, 115, 115, 117.3, 117.3, 120.6, 120.6],
  // 7 times
  startContainer: [8.8, 9.5, 9.5, 10.5, 10.5, 13.7, 13.7, 18.6, 18.6, 20.4, 20.4],
  // 7 times
  startReply: [18.2, 21.3, 21.3, 23.4, 23.4, 24.4, 24.4, 38.1, 38.1, 51.8, 51.8],
  // 4 times
  firstStep: [0, 0, 0, 0, 0, 0, 0, 0, 0.9, 0.9, 0.9],
  // 4 times
  exitReport: [24.3, 24.3, 24.3, 40.6, 40.6, 40.6, 40.6, 40.6, 52.8, 52.8, 52.8],
  // 2 times
  exec: [33.5, 33.5, 33.5, 33.5, 33.5, 33.5, 33.5, 33.5, 33.5, 33.5, 33.5],
  // 3 times
  stopContainer: [55.2, 55.2, 55.2, 55.2, 55.2, 72.1, 72.1, 72.1, 72.1, 72.1, 72.1],
  // 7 times
  removeContainer: [9.5, 10.5, 10.5, 13.7, 13.7, 14.4, 14.4, 17.2, 17.2, 18.6, 18.6],
  // 3 times
  stopSandbox: [237.6, 237.6, 237.6, 237.6, 237.6, 256, 256, 256, 256, 256, 256],
  // 3 times
  removeSandbox: [15.6, 15.6, 15.6, 15.6, 15.6, 18.6, 18.6, 18.6, 18.6, 18.6, 18.6],
};
