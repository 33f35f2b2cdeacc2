// biome-ignore lint/style/noRestrictedImports: it reports collections of garbage; no time is read.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Old garbage that may wait for a collection, in bytes. */
const MOST_GARBAGE = 128 * 1024 * 1024;
/** From this growth on, in percent, V8 decides by itself. */
const FREE_GROWTH = 300;
/** V8 collects without end when it may hardly grow. */
const LEAST_GROWTH = 10;

/**
 * Keeps V8's heap within MOST_GARBAGE of what lives. By itself V8 lets old objects become up to four times as many bytes as lived
 * after the last collection: 600 MiB when 150 live. It reads the flag at the end of a collection (heap/memory-controller.cc).
 */
export function boundGarbage(): void {
  const adapt = () => {
    const growth = Math.round((100 * MOST_GARBAGE) / getHeapStatistics().used_heap_size);
    const allowed = growth >= FREE_GROWTH ? 0 : Math.max(LEAST_GROWTH, growth);
    setFlagsFromString(`--heap-growing-percent=${allowed}`);
  };
  new PerformanceObserver(adapt).observe({ entryTypes: ['gc'] });
}
