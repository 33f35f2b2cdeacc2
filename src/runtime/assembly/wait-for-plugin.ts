import type { WaitLimits } from '../../base/clock/first-found.js';
import type { ConnectedPlugin, RuntimePlugins } from './plugins.js';

/** Resolves with the plugin of a name such as `10-logger` once it is connected; undefined when the time is up. */
export const waitForPlugin = (
  plugins: RuntimePlugins,
  name: string,
  wait: WaitLimits,
): Promise<ConnectedPlugin | undefined> =>
  waitForPlugins(
    plugins,
    (connected) => connected.find((each) => `${each.index}-${each.name}` === name),
    wait,
  );

/** Resolves with what `find` returns for the connected plugins; undefined when the time is up. */
export async function waitForPlugins<T>(
  plugins: RuntimePlugins,
  wanted: (connected: readonly ConnectedPlugin[]) => T | undefined,
  { clock, limit, signal }: WaitLimits,
): Promise<T | undefined> {
  const find = () => wanted(plugins.connected());
  const there = new AbortController();
  const over = signal === undefined ? there.signal : AbortSignal.any([signal, there.signal]);
  const stop = plugins.onChange(() => {
    if (find() !== undefined) there.abort();
  });
  try {
    if (find() === undefined) await clock.sleep(limit, over).catch(() => {});
    return find();
  } finally {
    stop();
  }
}
