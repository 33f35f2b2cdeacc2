import { getHeapStatistics } from 'node:v8';
import { turn } from '../../../src/base/clock/turn.js';
import { boundGarbage } from '../../../src/base/host/heap.js';

// Keeps about 80 MB, produces garbage that grows old, and prints the maximum heap size beyond the kept bytes.

boundGarbage();
const kept = Array.from({ length: 700_000 }, (_, index) => ({ index, text: `x${index}`, inner: { index } }));
const before = getHeapStatistics().used_heap_size;
const ring: object[] = Array(300_000);
let most = 0;
for (let made = 0; made < 8_000_000; made++) {
  ring[made % ring.length] = { made, list: [made], text: `y${made}` };
  if (made % 20_000 > 0) continue;
  most = Math.max(most, getHeapStatistics().total_heap_size);
  await turn();
}
process.stdout.write(String(kept.length > 0 && most - before));
