import { Code } from '../../cri/status-code.js';
import type { CallSubject } from '../../cri/subject.js';
import type { PluginRequestFacts } from '../fault-decisions.js';
import { createClient, type TtrpcClient } from '../ttrpc/client.js';
import type { RequestOf, ResponseOf } from '../ttrpc/definition.js';
import { statusError, TtrpcError } from '../ttrpc/error.js';
import { multiplex } from '../ttrpc/mux.js';
import type { Pipe } from '../ttrpc/pipe.js';
import { type ByteBudget, serve, served } from '../ttrpc/server.js';
import { callUnderRules } from './call-under-rules.js';
import { ALL_EVENTS, type EventMethod, events, isSubscribed, nameOf } from './events.js';
import {
  type Container,
  type ContainerUpdate,
  type FailurePolicy,
  PluginDefinition,
  type PodSandbox,
  RuntimeDefinition,
  StateChangeEvent,
  type SynchronizeResponse,
  type UpdateContainersRequest,
} from './gen/nri/v1alpha1/api.js';
import { type NriCall, REGISTRATION_TIMEOUT, REQUEST_TIMEOUT, type RuledOptions } from './options.js';

type Methods = typeof PluginDefinition.methods;
export type PluginRequest<M extends keyof Methods> = RequestOf<Methods[M]>;
export type PluginResponse<M extends keyof Methods> = ResponseOf<Methods[M]>;

const PLUGIN_SERVICE = 1;
const RUNTIME_SERVICE = 2;
/** If fewer pods and containers still don't fit in a message, the state can't be sent. */
const LEAST_OBJECTS = 8;

/** Characters of a plugin's version in the log. */
const LONGEST_VERSION = 64;

export interface Launched {
  readonly index: string;
  readonly base: string;
  readonly config: string;
}

export type OnUpdate = (
  plugin: Plugin,
  request: UpdateContainersRequest,
) => Promise<readonly ContainerUpdate[]>;

export interface PluginPlace {
  readonly budget: ByteBudget;
  readonly connection: number;
  readonly launched: Launched | undefined;
}

export class Plugin {
  index = '';
  base = '';
  events = 0;
  isClosed = false;
  readonly connection: number;
  #policy: FailurePolicy | undefined;
  /** Whether it has no methods for single events, and gets StateChange instead. */
  #isOld = false;
  readonly #options: RuledOptions;
  readonly #config: string;
  readonly #client: TtrpcClient;
  readonly #close: () => void;
  readonly #registered: Promise<void>;
  #isRegistered = false;

  /** Begins to read. Calls `onClose` once, when the connection is closed. */
  constructor(
    trunk: Pipe,
    options: RuledOptions,
    onUpdate: OnUpdate,
    onClose: () => void,
    { budget, connection, launched }: PluginPlace,
  ) {
    this.connection = connection;
    const mux = multiplex(trunk);
    let registered = () => {};
    let failed = (_: Error) => {};
    this.#registered = new Promise((resolve, reject) => {
      registered = resolve;
      failed = reject;
    });
    this.#registered.catch(() => {});
    this.#options = options;
    this.#config = launched?.config ?? '';
    if (launched !== undefined) Object.assign(this, { index: launched.index, base: launched.base });
    this.#close = () => mux.close();
    this.#client = createClient(mux.open(PLUGIN_SERVICE), options.clock, () => {
      this.isClosed = true;
      mux.close();
      failed(new Error('failed to register plugin, connection closed'));
      onClose();
    });
    const runtime = served(RuntimeDefinition, {
      registerPlugin: ({ pluginName, pluginIdx, NRIVersion }) => {
        if (this.#isRegistered)
          throw statusError(Code.UNKNOWN, `plugin "${this.name}" is registered already`);
        this.#isRegistered = true;
        if (launched === undefined) this.#name(pluginName, pluginIdx, failed);
        const version = NRIVersion.slice(0, LONGEST_VERSION) || 'unknown';
        options.log.info(`plugin "${this.name}" registered (with NRI version ${version})`);
        registered();
        return {};
      },
      updateContainers: (request) =>
        this.#reported('UpdateContainers', request, async () => ({
          failed: [...(await onUpdate(this, request))],
        })),
    });
    serve(mux.open(RUNTIME_SERVICE), [runtime], options.clock, () => this.close(), budget);
    mux.start();
  }

  /** `10-device-injector` */
  get name(): string {
    return `${this.index || '??'}-${this.base || 'plugin'}`;
  }

  get registrationTimeout(): number {
    return this.#options.registrationTimeout ?? REGISTRATION_TIMEOUT;
  }

  get requestTimeout(): number {
    return this.#options.requestTimeout ?? REQUEST_TIMEOUT;
  }

  close(): void {
    this.isClosed = true;
    this.#client.close();
    this.#close();
  }

  /** Waits for the registration, and sends the configuration. Rejects and closes the plugin on a timeout. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    const waited = new AbortController();
    const expired = clock.sleep(this.registrationTimeout, waited.signal).then(
      () => Promise.reject(new Error('plugin registration timed out')),
      () => {},
    );
    try {
      await clock.idle(Promise.race([this.#registered, expired]));
      await this.#configure();
    } catch (error) {
      this.close();
      throw error;
    } finally {
      waited.abort();
    }
  }

  /** Sends the existing objects, in several messages if they are too long for one. Returns the plugin's updates. */
  async synchronize(
    pods: readonly PodSandbox[],
    containers: readonly Container[],
  ): Promise<ContainerUpdate[]> {
    const begin = this.#options.clock.elapsed();
    let [podsLeft, containersLeft] = [pods, containers];
    let [podsNow, containersNow] = [pods.length, containers.length];
    try {
      for (;;) {
        const more = podsLeft.length > podsNow || containersLeft.length > containersNow;
        const request = {
          pods: podsLeft.slice(0, podsNow),
          containers: containersLeft.slice(0, containersNow),
          more,
        };
        let response: SynchronizeResponse;
        try {
          const timeout = this.requestTimeout - (this.#options.clock.elapsed() - begin);
          response = await this.call('synchronize', request, Math.max(1, timeout));
        } catch (error) {
          [podsNow, containersNow] = smaller(podsNow, containersNow, error);
          continue;
        }
        if (!more) return response.update;
        if (response.update.length > 0 || !response.more)
          throw new Error('plugin does not handle split sync requests');
        podsLeft = podsLeft.slice(podsNow);
        containersLeft = containersLeft.slice(containersNow);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Announces the runtime's end; no answer is needed. */
  async shutdown(): Promise<void> {
    if (!this.isClosed) await this.call('shutdown', {}).catch(() => {});
    this.close();
  }

  /** Relays an event to a subscriber. Rejects with its error if the request must fail (nri handleRequestError). */
  async relay<M extends EventMethod>(
    method: M,
    request: PluginRequest<M>,
  ): Promise<PluginResponse<M> | undefined> {
    if (this.isClosed || !isSubscribed(this.events, method)) return undefined;
    try {
      return await this.#relayOrFallBack(method, request);
    } catch (error) {
      if (!isFatal(error)) throw error;
      const what = `failed to handle ${nameOf(method)} request: ${error.message}`;
      const isKept = error.kind === 'timeout' && this.#policy?.keepConnected === true;
      this.#options.log.warn(`${isKept ? '' : 'closing '}plugin ${this.name} ${what}`);
      if (!isKept) this.close();
      if (method === 'validateContainerAdjustment')
        throw new Error(`validator plugin ${this.name} failed: ${error.message}`);
      if (this.#policy?.failRequest) throw new Error(`plugin ${this.name} ${what}`);
      return undefined;
    }
  }

  /** A call without error handling. Rules and reports know the plugin by `name`. Rejects with TtrpcError. */
  call<M extends keyof Methods>(
    method: M,
    request: PluginRequest<M>,
    timeout = this.requestTimeout,
    name = nameOf(method),
  ): Promise<PluginResponse<M>> {
    return this.#reported(name, request, () => this.#send(method, request, timeout, name));
  }

  #send<M extends keyof Methods>(
    method: M,
    request: PluginRequest<M>,
    given: number,
    name: string,
  ): Promise<PluginResponse<M>> {
    const send = (timeout: number) => this.#client.call(PluginDefinition, method, request, { timeout });
    const { clock, faults: rules } = this.#options;
    const faults = rules?.();
    if (!faults?.active) return send(given);
    const make = PluginDefinition.methods[method].responseType.fromPartial as (
      fields: object,
    ) => PluginResponse<M>;
    const subject = subjectOf(request);
    const facts: PluginRequestFacts = { plugin: this.name, method: name, request, subject };
    return callUnderRules(facts, { faults, clock, timeout: given, send, close: () => this.close(), make });
  }

  async #relayOrFallBack<M extends EventMethod>(method: M, request: PluginRequest<M>) {
    const { event, fallsBack } = events[method];
    const { rules } = this.#options;
    if (!fallsBack || (rules.singleEvents && !this.#isOld)) {
      try {
        return await this.call(method, request);
      } catch (error) {
        const isMissing = error instanceof TtrpcError && error.code === Code.UNIMPLEMENTED;
        if (!fallsBack || !isMissing) throw error;
        this.#isOld = true;
        this.#options.log.warn(
          `plugin ${this.name} uses deprecated StateChange instead of a dedicated ${nameOf(method)} RPC call`,
        );
      }
    }
    const change = StateChangeEvent.fromPartial({ ...request, event });
    await this.call('stateChange', change, this.requestTimeout, nameOf(method));
    return {} as PluginResponse<M>;
  }

  #name(name: string, index: string, failed: (error: Error) => void): void {
    const refuse = (what: string): never => {
      const error = statusError(Code.UNKNOWN, what);
      failed(error);
      throw error;
    };
    if (!/^[A-Za-z0-9_.+-]{1,256}$/.test(name))
      refuse(
        `invalid plugin name: ${JSON.stringify(name.slice(0, 256))}: expected letters, digits, "-", "_", "." and "+"`,
      );
    if (!/^\d\d$/.test(index))
      refuse(`invalid plugin index: ${JSON.stringify(index.slice(0, 256))}: must be 2 digits`);
    this.base = name;
    this.index = index;
  }

  async #configure(): Promise<void> {
    const { runtime, rules } = this.#options;
    const response = await this.call('configure', {
      config: this.#config,
      runtimeName: runtime.name,
      runtimeVersion: runtime.version,
      registrationTimeout: BigInt(this.registrationTimeout),
      requestTimeout: BigInt(this.requestTimeout),
      NRIVersion: rules.version,
    }).catch((error: Error) => {
      throw new Error(`failed to configure plugin: ${error.message}`);
    });
    if ((response.events & ~ALL_EVENTS) !== 0)
      throw new Error(`invalid plugin events: 0x${((response.events & ~ALL_EVENTS) >>> 0).toString(16)}`);
    this.events = response.events === 0 ? ALL_EVENTS : response.events;
    this.#policy = response.failurePolicy;
  }

  async #reported<R>(method: string, request: unknown, work: () => Promise<R>): Promise<R> {
    const { onCall, clock } = this.#options;
    const begin = clock.elapsed();
    const report = (end: Pick<NriCall, 'response' | 'error' | 'failure'>) => {
      const { connection, name: plugin } = this;
      onCall?.({ plugin, connection, method, request, ...end, took: clock.elapsed() - begin });
    };
    try {
      const response = await work();
      report({ response });
      return response;
    } catch (error) {
      report({
        error: (error as Error).message,
        failure: error instanceof TtrpcError ? error.kind : undefined,
      });
      throw error;
    }
  }
}

function subjectOf(request: object): CallSubject {
  const { pod, container } = request as { pod?: PodSandbox; container?: Container };
  return {
    pod: pod && {
      id: pod.id,
      name: pod.name,
      namespace: pod.namespace,
      uid: pod.uid,
      attempt: 0,
      labels: pod.labels,
    },
    container: container && {
      id: container.id,
      sandboxId: container.podSandboxId,
      name: container.name,
      attempt: 0,
      labels: container.labels,
    },
  };
}

/** Whether the plugin did not answer at all, as opposed to an error reply. */
const isFatal = (error: unknown): error is TtrpcError =>
  error instanceof TtrpcError && ['closed', 'timeout', 'protocol'].includes(error.kind);

/** Numbers of pods and containers of the next message, after one that was too long. Throws any other error. */
function smaller(pods: number, containers: number, error: unknown): [number, number] {
  if (!(error instanceof TtrpcError) || error.kind !== 'oversized') throw error;
  if (pods + containers <= LEAST_OBJECTS) throw new Error('failed to synchronize plugin with split messages');
  const factor = Math.min(0.9, (4 << 20) / error.length);
  // At least one of each existing kind: a message without one would never make progress.
  const fewer = (count: number) => Math.max(Math.min(count, 1), Math.floor(count * factor));
  const [fewerPods, fewerContainers] = [fewer(pods), fewer(containers)];
  return fewerPods + fewerContainers < LEAST_OBJECTS
    ? [LEAST_OBJECTS / 2, LEAST_OBJECTS / 2]
    : [fewerPods, fewerContainers];
}
