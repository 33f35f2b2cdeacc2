import { parseSocketAddress, portHint, type SocketAddress } from '../../../base/input/socket-address.js';
import { invalid } from '../../../cri/errors.js';
import type { OriginOptions } from '../../../runtime/assembly/origin.js';
import { runtimeProfiles } from '../../../runtime/profiles/index.js';
import { chooseLatency } from '../../../runtime/profiles/latency/choose-latency.js';
import { startStreamingServer } from '../../../runtime/streaming/server.js';
import { readCertificate } from '../../options/certificate.js';
import type { BackendContext } from './backend-context.js';
import { pluginOptions } from './plugin-settings.js';
import type { ServeSettings } from './settings.js';

/** Options of the engine and its streaming server. Throws CriError with the invalid option. */
export function runtimeOptions(
  settings: ServeSettings,
  context: BackendContext,
): Omit<OriginOptions, 'backend'> {
  const { clock, accounts, warn } = context;
  const tls = readCertificate('--streaming', settings['streaming-tls-cert'], settings['streaming-tls-key']);
  const advertise = settings['streaming-advertise'];
  return {
    clock,
    accounts,
    warn,
    profile: runtimeProfiles[settings.profile],
    latency: latencyOf(settings),
    transitions: settings.transitions,
    streamItems: settings['stream-items'],
    events: {
      ...(settings['events-overflow'] && { overflow: settings['events-overflow'] }),
      ...(settings['events-queue'] && { queueSize: settings['events-queue'] }),
      ...(settings['events-replay'] && { replay: true }),
    },
    streaming: (handler) =>
      startStreamingServer({
        handler,
        clock,
        account: accounts.streams,
        address: streamingAddress(settings.streaming),
        ...(advertise !== undefined && { advertise }),
        ...(tls !== undefined && { tls }),
      }),
    plugins: pluginOptions(settings, context),
  };
}

/** Docker takes its own time. */
function latencyOf({ backend, latency, profile }: ServeSettings) {
  const choice = latency ?? (backend === 'docker' ? 'none' : undefined);
  return chooseLatency(choice, profile, '--latency');
}

function streamingAddress(text: string): SocketAddress {
  const address = parseSocketAddress(text);
  if (address === undefined)
    throw invalid(
      `--streaming ${JSON.stringify(text)}: expected host:port, such as 127.0.0.1:0 or [::1]:0 (port 0: any free one)${portHint(text)}`,
    );
  return address;
}
