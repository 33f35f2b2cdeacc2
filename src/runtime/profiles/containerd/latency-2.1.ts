import type { Latency } from '../latency/latency.js';

/**
 * containerd 2.1.9+unknown, measured on 2026-11-22 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v595, cgroup v1, load 13.4: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 15 times
  pull: [14.5, 14.6, 18.5, 18.6, 22, 37.5, 41.1, 50.2, 52.6, 71.2, 81.4],
  // 45 times
  runSandbox: [136.9, 167.5, 214.5, 278.7, 351.2, 388.3, 400.7, 419.6, 472.7, 517.3, 666.4],
  // 112 times
  createContainer: [12.3, 14.8, 18.7, 22.7, 25.4, 30.5, 35.2, 48.2, 55.6, 71.7, 118.2],
  // 112 times
  startContainer: [46.3, 63.4, 71.5, 79.2, 94.1, 109.6, 123.1, 140.8, 164.1, 187.6, 262],
  // 112 times
  startReply: [0, 0, 0, 0, 2.8, 4.1, 5.2, 7.7, 11.3, 21.1, 42.5],
  // 36 times
  firstStep: [0.9, 2, 4.9, 10.9, 13.6, 15.7, 17, 18.4, 21.2, 31.1, 40.9],
  // 36 times
  exitReport: [21.7, 28.1, 36.1, 40, 44.5, 53.2, 61.4, 67, 75.8, 88.7, 118.5],
  // 82 times
  exec: [23.5, 36.6, 43.6, 54, 60.2, 67.3, 76.9, 83.2, 98.7, 119.8, 191.6],
  // 76 times
  stopContainer: [36.1, 48.2, 53.6, 60.8, 66.4, 69.9, 74.8, 82.8, 87, 100.7, 125.9],
  // 112 times
  removeContainer: [1.7, 2.5, 2.8, 3.2, 3.8, 5.3, 6.6, 8.3, 11.1, 15.5, 37.2],
  // 45 times
  stopSandbox: [142.7, 157.3, 176.9, 210.8, 231.6, 255.7, 282.7, 297.2, 329.3, 374.9, 446.2],
  // 45 times
  removeSandbox: [16.7, 18.9, 23.9, 25.6, 30.5, 34.6, 38.7, 45.2, 45.8, 66.6, 95.6],
};
