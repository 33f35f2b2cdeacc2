import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { ControlPlaneLink } from '../../kubelet/hosts/host.js';
import { type AdmittingNode, declaredFeatures, type KubeletVersion } from '../../kubelet/index.js';
import type { ApiClient } from '../api/api-client.js';
import type { EventSubject } from '../events/event-object.js';
import type { EventPoster } from '../events/event-poster.js';
import { createLease } from './lease.js';
import { type ApiNode, defaultLabels, idOf } from './node-object.js';
import { createNodeReporter, type NodeReporter } from './node-reporter.js';
import type { NodeSettings } from './node-settings.js';

export interface NodeLifeOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventPoster;
  readonly name: string;
  readonly settings: NodeSettings;
  readonly leaseSeconds: number;
  readonly runtimeVersion: () => string;
  readonly version: KubeletVersion;
  /** Called when the API server has the node's object. */
  readonly registered: () => void;
  readonly log: (message: string) => void;
}

/** A node's own reports to the control plane: its object, its lease, and events about it. */
export interface NodeLife {
  begin(): ControlPlaneLink;
  seen(node: ApiNode): void;
  /** The API's view of the node, for admission. */
  admitting(): AdmittingNode;
}

/** In the duration of a lease: less often than a kubelet does. */
const LEAST_RENEWALS = 6;

const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** The node's name as uid until 1.34, without a uid in 1.35 and 1.36, then its real uid once known. */
function subjectOf(name: string, uid: string | undefined, { minor }: KubeletVersion): EventSubject {
  const node = { kind: 'Node', name, namespace: '' } as const;
  if (minor < 35) return { ...node, uid: name };
  return { ...node, apiVersion: 'v1', ...(minor >= 37 && uid !== undefined && { uid }) };
}

/** Creates the reports of one node. `begin` connects one kubelet after another. */
export function createNodeLife(options: NodeLifeOptions): NodeLife {
  const { api, clock, random, events, name, settings, leaseSeconds, runtimeVersion, version, log } = options;
  // Another one at each start, and the same one in equal runs on a virtual clock.
  const bootId = idOf(name, `boot ${clock.now()}`);
  let uid: string | undefined;
  let reporter: NodeReporter | undefined;

  const event = (reason: string, message: string) =>
    events.post({
      subject: subjectOf(name, uid, version),
      node: name,
      type: 'Normal',
      reason,
      message,
      time: clock.now(),
    });

  const allocatable = { ...settings.capacity, ...settings.allocatable };
  let labels: Readonly<Record<string, string>> = {
    ...defaultLabels(name, settings.architecture),
    ...settings.labels,
  };
  let taints: AdmittingNode['taints'] = settings.taints;

  return {
    admitting: () => ({ name, labels, taints, allocatable }),
    seen: (node) => {
      labels = node.metadata.labels ?? {};
      const { taints: given = [], unschedulable } = node.spec ?? {};
      // Controllers add the taint of a cordoned node; there may be none.
      taints = unschedulable ? [...given, CORDONED] : given;
      reporter?.seen(node);
    },
    begin: () => {
      event('Starting', 'Starting kubelet.');
      const renew = createLease({ api, clock, node: name, seconds: leaseSeconds, uid: () => uid });
      const current = createNodeReporter({
        api,
        clock,
        random: random.fork('reporter'),
        name,
        settings,
        runtimeVersion,
        features: declaredFeatures(version),
        bootId,
        registered: (known) => {
          uid = known;
          renew();
          options.registered();
        },
        readyChanged: ({ status }) => {
          const reason = status === 'True' ? 'NodeReady' : 'NodeNotReady';
          event(reason, `Node ${name} status is now: ${reason}`);
        },
        log,
      });
      reporter = current;
      let renewed = Number.NEGATIVE_INFINITY;
      /** A kubelet renews after a quarter of the lease; one on a faster clock would more often. */
      const renewInTime = () => {
        if (clock.elapsed() - renewed < (leaseSeconds * 1000) / LEAST_RENEWALS) return;
        renewed = clock.elapsed();
        renew();
      };
      return {
        onHeartbeat: (report) => (report === undefined ? renewInTime() : current.report(report)),
        end: () => current.stop(),
      };
    },
  };
}
