import type { Seen, SeenTime } from '../facts.js';
import { parseAge } from './age.js';
import { takeTime } from './clock-times.js';
import { describedPod, type LineContext, type LineReader, podName } from './context.js';
import { type DescribedContainer, type DescribedHead, describedRow } from './described-row.js';
import { seenRuntime } from './seen-runtime.js';

interface Block extends DescribedContainer {
  section: 'State' | 'Last State' | undefined;
  readonly fields: Map<string, string>;
}

const FIELD = /^(\s*)([A-Z][A-Za-z ]*?|name):\s*(.*)$/;
/** `  app:`; many texts have lost the indentation. */
const CONTAINER = /^ {0,2}([a-z0-9][-a-z0-9]*):\s*$/;
const STATE_FIELDS = new Set(['Reason', 'Exit Code', 'Started', 'Finished', 'Message', 'Signal']);
const CONTAINER_FIELDS = new Set([
  ...['State', 'Last State', 'Exit Code', 'Started', 'Finished', 'Ready', 'Restart Count'],
  ...['Container ID', 'Image', 'Image ID', 'Port', 'Ports', 'Host Port', 'Host Ports', 'Command', 'Args'],
  ...['Limits', 'Requests', 'Liveness', 'Readiness', 'Startup', 'Environment', 'Mounts'],
]);
const CONDITION =
  /^\s*Ready\s+(True|False|Unknown)\s+\w{3},.{0,40}?[+-]\d{4}\s+\w{3},.{0,40}?[+-]\d{4}\s+(\w+)\s+(.*)$/;

/** Reads head and containers of `kubectl describe pod`, and conditions of `kubectl describe node`. */
export function createDescribeReader(): LineReader {
  let containers: Block[] = [];
  let head: DescribedHead = {};
  let namespace = '';
  let list: 'Containers' | 'Init Containers' | undefined;

  const finish = (context: LineContext): Seen[] => {
    const pod = describedPod(context);
    const described = containers;
    containers = [];
    list = undefined;
    return [
      ...described.flatMap((each) => [...endOf(each, pod, 'State'), ...endOf(each, pod, 'Last State')]),
      ...describedRow(described, pod, head, context.capture),
    ];
  };

  const begin = (name: string) =>
    containers.push({ name, isInit: list === 'Init Containers', section: undefined, fields: new Map() });

  return (line, context) => {
    const condition = CONDITION.exec(line);
    if (condition !== null) {
      const [, ready, , message] = condition;
      return [{ what: 'node', isReady: ready === 'True', message, times: [] }];
    }
    const container = list === undefined ? undefined : CONTAINER.exec(line)?.[1];
    if (container !== undefined) {
      begin(container);
      return [];
    }
    const [, indent = '', name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined) return containers.length === 0 || !/^\s/.test(line) ? undefined : [];
    if (indent === '' && !isOfContainer(name)) return top(name, value, context);
    if (indent === '' && containers.length === 0) begin('');
    const block = containers.at(-1);
    if (block !== undefined) keepField(block, name, value);
    return block === undefined ? ofNode(name, value) : [];
  };

  /** Whether an unindented line belongs to a container: it is in the list, or only containers have its field. */
  function isOfContainer(name: string): boolean {
    if (CONTAINER_FIELDS.has(name)) return true;
    return STATE_FIELDS.has(name) && containers.at(-1)?.section !== undefined;
  }

  function top(name: string, value: string, context: LineContext): Seen[] | undefined {
    if (name === 'Containers' || name === 'Init Containers') {
      list = name;
      // Nodes have no containers.
      if (context.described?.kind === 'node') context.described = { ...context.described, kind: 'pod' };
      return [];
    }
    const before = finish(context);
    if (name === 'Name' || name === 'name') {
      context.capture++;
      context.described = { kind: 'node', name: value };
      namespace = '';
      head = {};
      return before;
    }
    if (name === 'Namespace') {
      namespace = value;
      if (context.described !== undefined)
        context.described = { kind: 'pod', name: podName(namespace, context.described.name) };
      return before;
    }
    if (name === 'Status') head = { ...head, status: value };
    if (name === 'Reason') head = { ...head, reason: value };
    if (name === 'Termination Grace Period') return [...before, ...deletion(head.status, value, context)];
    const time = name === 'Start Time' || name === 'CreationTimestamp' ? takeTime(value).time : undefined;
    if (time !== undefined && context.described?.kind === 'pod')
      return [...before, { what: 'created', pod: context.described.name, times: [time] }];
    return before.length > 0 || KNOWN_HEAD.has(name) ? before : undefined;
  }
}

/** kubectl prints the age of the deletion timestamp, which includes the grace period (describe.go describePod). */
function deletion(status = '', period: string, context: LineContext): Seen[] {
  const [, lasts, expires = ''] = /^Terminating \((?:lasts (.+)|expires (.+))\)$/.exec(status) ?? [];
  const grace = parseAge(period)?.from;
  if (grace === undefined) return [];
  const time = takeTime(expires).time;
  if (time?.by === 'clock')
    return [
      { what: 'deleted', pod: describedPod(context), times: [{ ...time, ms: time.ms - grace * 1000 }] },
    ];
  if (lasts === undefined) return [];
  // kubectl prints future times as invalid.
  const { from = 0, to = 0 } = parseAge(lasts) ?? {};
  const span = from === 0 && to === 0 ? { from: 0, to: grace } : { from: from + grace, to: to + grace };
  return [
    { what: 'deleted', pod: describedPod(context), times: [{ by: 'ago', capture: context.capture, span }] },
  ];
}

function ofNode(name: string, value: string): Seen[] | undefined {
  if (name === 'Container Runtime Version') return seenRuntime(value);
  const version = name === 'Kubelet Version' ? /^v(\d+\.\d+)\./.exec(value)?.[1] : undefined;
  return version === undefined ? undefined : [{ what: 'version', version }];
}

const KNOWN_HEAD = new Set([
  'Status',
  'Reason',
  'Message',
  'Node',
  'Labels',
  'Annotations',
  'IP',
  'IPs',
  'Controlled By',
  'Priority',
  'Conditions',
  'Events',
  'End',
  'Volumes',
  'QoS Class',
  'Tolerations',
  'Node-Selectors',
  'Service Account',
]);

function keepField(block: Block, name: string, value: string): void {
  if (name === 'State' || name === 'Last State') {
    block.section = name;
    block.fields.set(name, value);
  } else if (block.section !== undefined && STATE_FIELDS.has(name))
    block.fields.set(`${block.section} ${name}`, value);
  else {
    block.section = undefined;
    block.fields.set(name, value);
  }
}

function endOf({ name, fields }: DescribedContainer, pod: string, section: string): Seen[] {
  if (fields.get(section) !== 'Terminated') return [];
  const exitCode = Number(fields.get(`${section} Exit Code`) ?? Number.NaN);
  if (!Number.isInteger(exitCode)) return [];
  const time = (field: string): SeenTime | undefined =>
    takeTime(fields.get(`${section} ${field}`) ?? '').time;
  const [started, finished] = [time('Started'), time('Finished')];
  const ran =
    started?.by === 'clock' && finished?.by === 'clock' ? (finished.ms - started.ms) / 1000 : undefined;
  return [
    {
      what: 'end',
      pod,
      container: name,
      exitCode,
      reason: fields.get(`${section} Reason`) ?? '',
      ...(ran !== undefined && { ran }),
      times: finished === undefined ? [] : [finished],
    },
  ];
}
