import type { Clock } from '../clock/clock.js';
import type { ConnectedPlugin, RuntimePlugins } from './plugins.js';

/** How long somebody waits for a plugin. */
export interface PluginWait {
  readonly clock: Clock;
  /** In ms. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with the plugin of a name such as `10-logger` once it is connected; undefined if it is not in time. */
export async function waitForPlugin(
  plugins: RuntimePlugins,
  name: string,
  { clock, limit, signal }: PluginWait,
): Promise<ConnectedPlugin | undefined> {
  const find = () => plugins.connected().find((each) => `${each.index}-${each.name}` === name);
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
