import type { Latency } from '../latency/latency.js';

/**
 * docker 20.10.24+dfsg1, measured on 2026-11-23 by test/peers/slow/profiles with 2 processors, kernel
 * 6.18.44-fc-v657, cgroup v1, load 10: quantiles in steps of a tenth, in ms.
 */
export const latency: Latency = {
  // 15 times
  pull: [26.8, 30.6, 31.2, 31.5, 32.1, 38.7, 40.5, 40.9, 43.4, 47.9, 50.7],
  // 45 times
  runSandbox: [390.3, 504.9, 540.1, 550.7, 580.2, 609.7, 659, 674, 685.7, 775.4, 928.2],
  // 103 times
  createContainer: [22.1, 29.6, 35.3, 38.4, 42.4, 45.6, 49.1, 54.9, 60.6, 70.1, 92],
  // 103 times
  startContainer: [139, 161.7, 172.8, 184.3, 195.8, 208.1, 215.6, 234.4, 257.1, 277.5, 345.1],
  // 103 times
  startReply: [0, 0, 2.4, 4.2, 5.6, 7.2, 8.4, 11.4, 15.5, 50.4, 97.6],
  // 40 times
  firstStep: [0, 0, 1.7, 2.1, 3, 3.6, 4.9, 5.9, 8.6, 15, 29.1],
  // 40 times
  exitReport: [37.5, 51.4, 53, 54.2, 57.6, 60.9, 63.5, 72.1, 75.7, 89.4, 130.1],
  // 66 times
  exec: [46.8, 55.5, 59.9, 65.4, 69.1, 71.9, 74.7, 78.5, 86, 104.1, 152.2],
  // 63 times
  stopContainer: [67.6, 87.6, 91.2, 94.9, 101, 105.1, 115.9, 126.7, 139.2, 155.8, 208.8],
  // 103 times
  removeContainer: [7.7, 10.9, 12.6, 13.7, 14.8, 16.1, 17.4, 18.6, 21.5, 25.4, 44.4],
  // 45 times
  stopSandbox: [156.1, 171.2, 174, 179.8, 190.3, 198.4, 213.4, 222, 235.7, 264.3, 318.4],
  // 45 times
  removeSandbox: [8.8, 10.4, 12.3, 13.8, 14.5, 15.9, 17.9, 19.6, 23.3, 29.1, 38.5],
};
