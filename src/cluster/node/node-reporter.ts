import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { jitter, type Random } from '../../base/random/random.js';
import type { NodeReady } from '../../kubelet/index.js';
import type { ApiClient } from '../api/api-client.js';
import { isConflict, isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { createReconciler } from '../reconciler.js';
import { type ApiNode, conditions, defaultLabels, nodeObject, nodeStatus } from './node-object.js';
import type { NodeSettings } from './node-settings.js';

export interface NodeReporterOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly name: string;
  readonly settings: NodeSettings;
  readonly runtimeVersion: () => string;
  readonly features: readonly string[];
  readonly bootId: string;
  /** The API server has the node's object, with this uid. */
  readonly registered: (uid: string) => void;
  readonly readyChanged: (ready: NodeReady) => void;
  readonly log: (message: string) => void;
}

/** Registers a node and updates its status in the API server (kubelet_node_status.go). */
export interface NodeReporter {
  /** Sets the node's condition; equal ones are sent again with a new time. */
  report(ready: NodeReady): void;
  seen(node: ApiNode): void;
  stop(): void;
}

/** Pauses of registerWithAPIServer, in ms; double up to the last. */
const FIRST_PAUSE = 200;
const LAST_PAUSE = 7000;
/** nodeStatusUpdateFrequency in ms: when the kubelet notices that somebody else changed its condition. */
const NOTICE = 10_000;

export function createNodeReporter(options: NodeReporterOptions): NodeReporter {
  const { clock, random, name, log } = options;
  const object = createObject(options);
  const stopped = new AbortController();
  let wanted: NodeReady | undefined;
  let isRegistered = false;
  let pause = FIRST_PAUSE;
  let notice: Timer | undefined;

  const sending = createReconciler<string>(clock, async () => {
    if (stopped.signal.aborted || wanted === undefined) return 'over';
    try {
      if (!isRegistered) await object.register(wanted);
      else await object.patch(wanted, false);
      isRegistered = true;
      pause = FIRST_PAUSE;
      return 'done';
    } catch (error) {
      // Somebody deleted it. A kubelet registers again only after a restart.
      if (isRegistered && isNotFound(error)) return 'over';
      log(`node ${name}: ${messageOf(error)}`);
      await clock.sleep(jitter(random, pause, 1), stopped.signal).catch(() => {});
      pause = Math.min(LAST_PAUSE, pause * 2);
      return 'again';
    }
  });

  return {
    report: (ready) => {
      wanted = ready;
      sending.changed(name);
    },
    seen: (node) => {
      const changed = !isDeepStrictEqual(object.conditions(), node.status?.conditions);
      if (sending.isBusy(name) || !changed) return;
      object.remember(node);
      const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
      if (wanted === undefined || ready?.status === wanted.status) return;
      notice ??= clock.setTimer(random.next() * NOTICE, () => {
        notice = undefined;
        sending.changed(name);
      });
    },
    stop: () => {
      stopped.abort();
      notice?.cancel();
    },
  };
}

function createObject(options: NodeReporterOptions) {
  const { api, clock, name, settings, runtimeVersion, features, bootId } = options;
  const path = apiPath`/api/v1/nodes/${name}`;
  let known: Pick<ApiNode, 'status'> | undefined;

  const facts = (ready: NodeReady) => ({
    name,
    settings,
    ready,
    runtimeVersion: runtimeVersion(),
    features,
    bootId,
    now: clock.now(),
  });

  const remember = (answer: unknown): void => {
    const { status } = answer as ApiNode;
    known = { status: { conditions: status?.conditions ?? [], nodeInfo: status?.nodeInfo ?? {} } };
  };

  /** A node of this name may exist from an earlier run: updates its labels. */
  const register = async (ready: NodeReady): Promise<void> => {
    try {
      const made = await api.request({
        method: 'POST',
        path: '/api/v1/nodes',
        body: () => nodeObject(facts(ready)),
      });
      remember(made);
      options.registered((made as ApiNode).metadata.uid);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const there = (await api.request({ method: 'GET', path })) as ApiNode;
      remember(there);
      const labels = defaultLabels(name, settings.architecture);
      const old = there.metadata.labels ?? {};
      if (Object.entries(labels).some(([key, value]) => old[key] !== value))
        await api.request({
          method: 'PATCH',
          path,
          type: 'application/strategic-merge-patch+json',
          body: () => ({ metadata: { labels } }),
        });
      options.registered(there.metadata.uid);
      await patch(ready, true);
    }
  };

  const patch = async (ready: NodeReady, all: boolean): Promise<void> => {
    const before = known?.status?.conditions ?? [];
    const wasReady = before.find(({ type }) => type === 'Ready')?.status;
    const answer = await api.request({
      method: 'PATCH',
      path: `${path}/status`,
      type: 'application/strategic-merge-patch+json',
      priority: 'heartbeat',
      body: () => ({
        status: all ? nodeStatus(facts(ready), before) : { conditions: conditions(facts(ready), before) },
      }),
    });
    remember(answer);
    if (wasReady !== ready.status) options.readyChanged(ready);
  };

  return { register, patch, remember, conditions: () => known?.status?.conditions };
}
