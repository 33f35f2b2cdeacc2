import { invalid } from '../../../cri/errors.js';
import type { PluginOptions } from '../../../runtime/assembly/plugins.js';
import type { BackendContext } from './backend-context.js';
import type { ServeSettings } from './settings.js';

const PLUGINS = ['nri-socket', 'nri-plugin'] as const;
const TIMES = ['nri-registration-timeout', 'nri-request-timeout'] as const;

const wantsPlugins = (settings: ServeSettings): boolean =>
  PLUGINS.some((name) => settings[name] !== undefined);

/** Throws CriError for plugin settings that would have no effect. */
export function checkPluginSettings(settings: ServeSettings): void {
  const refuse = (names: readonly (keyof ServeSettings)[], why: string): void => {
    const given = names.filter((name) => settings[name] !== undefined).map((name) => `--${name}`);
    if (given.length > 0) throw invalid(`${given.join(' and ')}: ${why}`);
  };
  const { backend, 'on-miss': onMiss } = settings;
  const allowed = 'allowed with backends memory and docker';
  if (backend === 'remote') refuse(PLUGINS, `plugins connect to the runtime behind; ${allowed}`);
  if (settings['cdi-spec-dir'].length > 0) {
    if (backend === 'remote') refuse(['cdi-spec-dir'], `the runtime behind resolves devices; ${allowed}`);
    if (backend === 'tape' && onMiss !== 'memory')
      refuse(['cdi-spec-dir'], `a tape has no containers; ${allowed}, and with --on-miss memory`);
  }
  if (backend === 'tape' && onMiss !== 'memory')
    refuse(PLUGINS, `a tape has no runtime that plugins could change; ${allowed}, and with --on-miss memory`);
  if (!wantsPlugins(settings))
    refuse(TIMES, 'no plugins can connect; allowed with --nri-socket or --nri-plugin');
}

/** Undefined if neither plugins nor CDI devices are wanted. */
export function pluginOptions(
  settings: ServeSettings,
  { warn, inform }: BackendContext,
): PluginOptions | undefined {
  if (!wantsPlugins(settings) && settings['cdi-spec-dir'].length === 0) return undefined;
  return {
    socket: settings['nri-socket'],
    socketMode: Number.parseInt(settings['socket-mode'], 8),
    directory: settings['nri-plugin'],
    registrationTimeout: settings['nri-registration-timeout'],
    requestTimeout: settings['nri-request-timeout'],
    cdiDirectories: settings['cdi-spec-dir'],
    log: {
      info: (message) => inform(`NRI: ${message}`),
      warn: (message) => warn(`NRI: ${message}`, undefined),
    },
  };
}
