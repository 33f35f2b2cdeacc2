import type { Clock } from '../../base/clock/clock.js';
import type { ConnectedPlugin, RuntimePlugins } from './plugins.js';

export interface PluginWait {
  readonly clock: Clock;
  /** In ms. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with the plugin of a name such as `10-logger` once it is connected; undefined when the time is up. */
export const waitForPlugin = (
  plugins: RuntimePlugins,
  name: string,
  wait: PluginWait,
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
  { clock, limit, signal }: PluginWait,
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
