import type { Clock } from '../../base/clock/clock.js';
import { errorText } from '../../kubelet/index.js';
import { podListJson } from '../../kubelet/kubernetes/pod-list-json.js';
import { Problem } from '../../runtime/control/problem.js';
import type { ClusterNode } from '../node/cluster-node.js';
import { containerLogs } from './container-logs.js';
import { findPod, hasContainer, requirePod } from './find-pod.js';
import { readLogOptions } from './log-options.js';
import { resourceMetrics } from './resource-metrics.js';
import type { Route } from './route.js';
import { runningContainer } from './streams.js';
import { nodeUse, summaryJson } from './summary.js';

export interface Answer {
  readonly type: string;
  /** Streamed while a log is followed. */
  readonly body: string | Buffer | AsyncIterable<Buffer>;
}

export interface Question {
  readonly clock: Clock;
  readonly nodes: readonly ClusterNode[];
  readonly route: Route;
  readonly query: URLSearchParams;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

const JSON_TYPE = 'application/json';
const TEXT = 'text/plain; charset=utf-8';
/** Prometheus text format. */
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';

export async function answer({ clock, nodes, route, query, signal }: Question): Promise<Answer> {
  const uses = () => Promise.all(nodes.map((node) => nodeUse(node, clock.now(), signal)));
  switch (route.kind) {
    case 'healthz':
      return { type: TEXT, body: 'ok' };
    case 'pods':
      return json(podListJson(nodes.flatMap((node) => node.pods())));
    case 'runningpods':
      return json(podListJson(nodes.flatMap((node) => node.pods().filter(isRunning))));
    case 'summary': {
      const [first] = await uses();
      return json(first === undefined ? {} : summaryJson(first));
    }
    case 'resource-metrics':
      return { type: METRICS, body: resourceMetrics(await uses()) };
    case 'logs': {
      const options = readLogOptions(query, clock.now());
      const found = findPod(nodes, route.pod);
      if (found === undefined) throw new Problem(404, `pod "${route.pod.name}" does not exist`);
      if (!hasContainer(found.pod, route.container))
        throw new Problem(404, `container "${route.container}" not found in pod "${route.pod.name}"`);
      const { container } = route;
      return { type: TEXT, body: await containerLogs({ clock, ...found, container, options, signal }) };
    }
    case 'run': {
      const found = requirePod(nodes, route.pod);
      const containerId = await runningContainer(found, route.container);
      return json(await run(found.node, containerId, (query.get('cmd') ?? '').split(' '), signal));
    }
    default:
      throw new Problem(500, 'Upgrade request required');
  }
}

const json = (value: unknown): Answer => ({
  type: JSON_TYPE,
  body: Buffer.isBuffer(value) ? value : JSON.stringify(value),
});

const isRunning: Parameters<ReturnType<ClusterNode['pods']>['filter']>[0] = ({ status }) =>
  status?.containerStatuses.some(({ state }) => state.kind === 'running') ?? false;

/** Both outputs of a command, one after the other (kuberuntime_container.go RunInContainer). Ends with its client. */
async function run(
  node: ClusterNode,
  containerId: string,
  cmd: string[],
  signal: AbortSignal,
): Promise<Buffer> {
  const reply = await node.cri.execSync({ containerId, cmd, timeout: 0n }, { signal }).catch((error) => {
    throw new Problem(500, errorText(error));
  });
  const output = Buffer.concat([reply.stdout, reply.stderr]);
  if (reply.exitCode === 0) return output;
  throw new Problem(
    500,
    `command '${cmd.join(' ')}' exited with ${reply.exitCode}: ${Buffer.from(reply.stderr).toString()}`,
  );
}
