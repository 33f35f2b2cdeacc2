import type { OriginOptions, RuntimeOrigin } from '../../../runtime/assembly/origin.js';
import { openWithPlugins } from '../../../runtime/assembly/with-plugins.js';
import type { BackendContext } from './backend-context.js';
import type { ServeSettings } from './settings.js';

export const openForPlugins = (
  options: OriginOptions,
  settings: ServeSettings,
  { warn, inform }: BackendContext,
): Promise<RuntimeOrigin> =>
  openWithPlugins(options, {
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
  });
