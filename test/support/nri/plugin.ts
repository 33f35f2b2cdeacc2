import { once } from 'node:events';
import { connect } from 'node:net';
import type { Clock } from '../../../src/base/clock/clock.js';
import { PluginDefinition, RuntimeDefinition } from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import type { NriHost } from '../../../src/runtime/nri/host.js';
import { createClient, type TtrpcClient } from '../../../src/runtime/ttrpc/client.js';
import { multiplex } from '../../../src/runtime/ttrpc/mux.js';
import { type Pipe, pipeOf } from '../../../src/runtime/ttrpc/pipe.js';
import { type Implementation, serve, served } from '../../../src/runtime/ttrpc/server.js';
import { pipePair } from '../ttrpc/pipe-pair.js';

/** A test plugin's handlers; all other requests get an empty reply. */
export type PluginHandlers = Partial<Implementation<typeof PluginDefinition>>;

/** A plugin in this process, connected to a host. */
export interface TestPlugin {
  /** `CreateContainer c` for each request, in order. */
  readonly requests: string[];
  readonly runtime: TtrpcClient;
  /** Whether the host has accepted it. */
  readonly isIn: boolean;
  close(): void;
}

interface About {
  readonly pod?: { readonly name: string };
  readonly container?: { readonly name: string };
}

/** Resolves when the host has synchronized it, or refused it. */
export async function connectPlugin(
  host: NriHost,
  clock: Clock,
  name: { readonly pluginName: string; readonly pluginIdx: string },
  handlers: PluginHandlers = {},
): Promise<TestPlugin> {
  const [near, far] = pipePair();
  const plugin = createPlugin(far, clock, handlers);
  const connected = host.connect(near);
  await plugin.register(name).catch(() => {});
  const isIn = (await connected) !== undefined;
  return { ...plugin, isIn };
}

/** Resolves when the plugin has registered on the socket of a host. */
export async function connectPluginTo(
  path: string,
  clock: Clock,
  name: { readonly pluginName: string; readonly pluginIdx: string },
  handlers: PluginHandlers = {},
  onRequest?: OnRequest,
): Promise<Omit<TestPlugin, 'isIn'>> {
  const socket = connect(path);
  await once(socket, 'connect');
  const plugin = createPlugin(pipeOf(socket), clock, handlers, onRequest);
  await plugin.register(name);
  return plugin;
}

/** Called with each request to a plugin, before it is handled. */
type OnRequest = (method: string, request: object) => void;

/** A plugin on a pipe before its registration. */
export function createPlugin(
  pipe: Pipe,
  clock: Clock,
  handlers: PluginHandlers,
  onRequest: OnRequest = () => {},
) {
  const mux = multiplex(pipe);
  const requests: string[] = [];
  const all = Object.fromEntries(
    Object.entries(PluginDefinition.methods).map(([key, method]) => [
      key,
      (request: About, call: unknown) => {
        onRequest(method.name, request);
        const about = request.container?.name ?? request.pod?.name;
        requests.push(about === undefined ? method.name : `${method.name} ${about}`);
        const handler = handlers[key as keyof PluginHandlers] as
          | ((...given: unknown[]) => unknown)
          | undefined;
        return handler === undefined ? method.responseType.fromPartial({}) : handler(request, call);
      },
    ]),
  );
  serve(
    mux.open(1),
    [served(PluginDefinition, all as unknown as Implementation<typeof PluginDefinition>)],
    clock,
  );
  const runtime = createClient(mux.open(2), clock);
  mux.start();
  const register = (name: { readonly pluginName: string; readonly pluginIdx: string }) =>
    runtime.call(RuntimeDefinition, 'registerPlugin', { ...name, NRIVersion: '' });
  return { requests, runtime, register, close: () => mux.close() };
}
