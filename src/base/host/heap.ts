// biome-ignore lint/style/noRestrictedImports: it reports collections of garbage; no time is read.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Bytes of old garbage that may wait for a collection. */
const MOST_GARBAGE = 128 * 1024 * 1024;
/** From this growth on, in percent, V8 decides by itself. */
const FREE_GROWTH = 300;
/** V8 collects garbage without end when the heap can hardly grow. */
const LEAST_GROWTH = 10;

/**
 * Keeps V8's heap within MOST_GARBAGE of the live objects. By default, V8 lets old objects grow to up to four times
 * what was live after the last collection: to 600 MiB if 150 MiB are live. It reads the flag at the end of a collection
 * (heap/memory-controller.cc).
 */
export function boundGarbage(): void {
  const adapt = () => {
    const growth = Math.round((100 * MOST_GARBAGE) / getHeapStatistics().used_heap_size);
    const allowed = growth >= FREE_GROWTH ? 0 : Math.max(LEAST_GROWTH, growth);
    setFlagsFromString(`--heap-growing-percent=${allowed}`);
  };
  new PerformanceObserver(adapt).observe({ entryTypes: ['gc'] });
}
