import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type {
  ContainerStats,
  ContainerStatsResponse,
  ListContainerStatsRequest,
  ListContainerStatsResponse,
  ListMetricDescriptorsResponse,
  ListPodSandboxMetricsResponse,
  PodSandboxStats,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Configs } from '../../world/configs.js';
import type { Objects } from '../../world/objects.js';
import { isEmptyFilter } from '../../world/shown.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { isSame } from './fields.js';
import { podsIn } from './own-usage.js';
import { observationsIn, RECENT } from './states.js';

interface Usage {
  readonly cpu: bigint;
  readonly timestamp: bigint;
  readonly line: number;
}

/** A container that a pod's stats lack; if it is seen running later, it ran all the time. */
interface Missing {
  readonly pod: string;
  readonly line: number;
}

const MOST = 5000;

/** INV-48, INV-49. */
export function watchStats(objects: Objects, configs: Configs, findings: Findings): Watcher {
  const containers = checkContainers(objects, configs, findings);
  const pods = checkPods(objects, findings);
  const metrics = checkMetrics(findings);
  return {
    answered: (exchange) => {
      pods.confirm(exchange);
      const { method, reply, isOk } = exchange;
      if (!isOk) return;
      if (method === 'ContainerStats') {
        const { stats } = reply.message?.value<ContainerStatsResponse>() ?? {};
        if (stats !== undefined) containers.one(stats, exchange);
      } else if (method === 'ListContainerStats') containers.list(exchange);
      for (const stats of podsIn(exchange)) pods.stats(stats, exchange);
      if (method === 'ListMetricDescriptors') metrics.described(exchange);
      else if (method === 'ListPodSandboxMetrics') metrics.listed(exchange);
    },
    restsOn: ['times'],
    forget: () => {
      containers.forget();
      pods.forget();
      metrics.forget();
    },
  };
}

function checkContainers(objects: Objects, configs: Configs, findings: Findings) {
  const usages = new Map<string, Usage>();

  /** Overlapping calls may be answered in a different order from their measurements. */
  const one = ({ attributes, cpu }: ContainerStats, { callLine, replyLine: line }: AnsweredCall) => {
    const id = attributes?.id ?? '';
    const name = attributes?.metadata?.name ?? id;
    const known = configs.get(id);
    if (attributes && known !== undefined)
      for (const field of ['labels', 'annotations', 'metadata'] as const)
        if (!isSame(attributes[field] ?? {}, known[field]))
          findings.add('INV-48.attributes', id, `${field} of ${name} differ in its stats`, [
            known.line,
            line,
          ]);
    const used = cpu?.usageCoreNanoSeconds?.value;
    if (cpu === undefined || used === undefined) return;
    const last = usages.get(id);
    const before = last !== undefined && last.line < callLine ? last : undefined;
    const broken = (text: string) => findings.add('INV-48.moves', id, text, [before?.line ?? 0, line]);
    if (cpu.timestamp < RECENT)
      broken(`the time of the stats of ${name} is ${cpu.timestamp}, which is not a time in nanoseconds`);
    else if (before !== undefined && cpu.timestamp < before.timestamp)
      broken(`the time of the stats of ${name} goes back from ${before.timestamp} to ${cpu.timestamp}`);
    else if (before !== undefined && used < before.cpu)
      broken(`CPU time of ${name} goes back from ${before.cpu} to ${used}`);
    if (last !== undefined && before === undefined && last.timestamp > cpu.timestamp) return;
    usages.set(id, { cpu: used, timestamp: cpu.timestamp, line });
    forgetOldest(usages, MOST);
  };

  const list = (exchange: AnsweredCall) => {
    const { call, reply, callLine, replyLine, stream } = exchange;
    const { filter } = call.message.value<ListContainerStatsRequest>();
    const isAll = filter === undefined || isEmptyFilter(filter);
    const method = stream ?? 'ListContainerStats';
    for (const stats of reply.message?.value<ListContainerStatsResponse>().stats ?? []) {
      one(stats, exchange);
      const { id = '', labels = {}, metadata } = stats.attributes ?? {};
      const object = objects.byId.get(id);
      const isEnded = object?.least === 2 && object.leastLine < callLine;
      const isNew = object !== undefined && object.madeAt > 0 && !object.startTried;
      if (isAll && (isEnded || isNew))
        findings.add('INV-48.running-only', id, `${method} lists ${metadata?.name}, which does not run`, [
          object.leastLine,
          replyLine,
        ]);
      const fits =
        isAll ||
        (id.startsWith(filter.id) &&
          (object?.sandboxId ?? filter.podSandboxId).startsWith(filter.podSandboxId) &&
          Object.entries(filter.labelSelector).every(([key, value]) => labels[key] === value));
      if (!fits)
        findings.add(
          'INV-48.filter',
          id,
          `${method} lists ${metadata?.name}, which does not fit the filter`,
          [callLine, replyLine],
        );
    }
  };

  return { one, list, forget: () => usages.clear() };
}

function checkPods(objects: Objects, findings: Findings) {
  const missing = new Map<string, Missing>();

  const stats = ({ attributes, linux }: PodSandboxStats, { callLine, replyLine }: AnsweredCall) => {
    if (missing.size > MOST) missing.clear();
    if (attributes === undefined || linux === undefined) return;
    const shown = new Set(linux.containers.map((one) => one.attributes?.id));
    for (const object of objects.containersOf(attributes.id))
      if (object.least === 1 && object.leastLine < callLine && !shown.has(object.id))
        missing.set(object.id, { pod: attributes.metadata?.name ?? attributes.id, line: replyLine });
  };

  /** A container never restarts, so one that runs now ran then. */
  const confirm = (exchange: AnsweredCall) => {
    if (missing.size === 0) return;
    for (const { id, state } of observationsIn(exchange)) {
      const gap = missing.get(id);
      if (gap === undefined || gap.line > exchange.callLine) continue;
      missing.delete(id);
      if (state !== 1) continue;
      const text = `the stats of ${gap.pod} lack ${objects.byId.get(id)?.name ?? id}, which ran`;
      findings.add('INV-48.pod', id, text, [gap.line, exchange.replyLine]);
    }
  };

  return { stats, confirm, forget: () => missing.clear() };
}

function checkMetrics(findings: Findings) {
  let descriptors:
    | { readonly text: string; readonly keys: ReadonlyMap<string, number>; readonly line: number }
    | undefined;

  const described = ({ reply, replyLine }: AnsweredCall) => {
    const { descriptors: all } = reply.message?.value<ListMetricDescriptorsResponse>() ?? { descriptors: [] };
    // The order of the descriptors may change.
    const text = JSON.stringify(all.map((one) => JSON.stringify(one)).sort());
    if (descriptors !== undefined && descriptors.text !== text)
      findings.add('INV-49.descriptors', 'descriptors', 'the descriptors change', [
        descriptors.line,
        replyLine,
      ]);
    const keys = new Map(all.map((one) => [one.name, one.labelKeys.length]));
    descriptors = { text, keys, line: replyLine };
  };

  const listed = ({ reply, replyLine }: AnsweredCall) => {
    if (descriptors === undefined) return;
    const { podMetrics } = reply.message?.value<ListPodSandboxMetricsResponse>() ?? { podMetrics: [] };
    for (const { metrics: own, containerMetrics } of podMetrics)
      for (const { name, labelValues } of [...own, ...containerMetrics.flatMap((one) => one.metrics)]) {
        const expected = descriptors.keys.get(name);
        const lines = [descriptors.line, replyLine];
        if (expected === undefined)
          findings.add('INV-49.descriptors', name, `${name} has no descriptor`, lines);
        else if (expected !== labelValues.length)
          findings.add(
            'INV-49.descriptors',
            name,
            `${name} has ${labelValues.length} label values, and ${expected} keys`,
            lines,
          );
      }
  };

  return {
    described,
    listed,
    forget: () => {
      descriptors = undefined;
    },
  };
}
