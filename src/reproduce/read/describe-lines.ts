import type { Seen, SeenTime } from '../seen.js';
import { takeTime } from './clock-times.js';
import { type LineContext, type LineReader, podName } from './context.js';

/** What `kubectl describe` says of one container so far. */
interface Block {
  container: string;
  section: 'State' | 'Last State' | undefined;
  readonly fields: Map<string, string>;
}

const FIELD = /^(\s*)([A-Z][A-Za-z ]*?):\s*(.*)$/;
/** `  app:` */
const CONTAINER = /^ {1,2}([a-z0-9][-a-z0-9]*):\s*$/;
const STATE_FIELDS = new Set(['Reason', 'Exit Code', 'Started', 'Finished', 'Message', 'Signal']);
const CONDITION =
  /^\s*Ready\s+(True|False|Unknown)\s+\w{3},.{0,40}?[+-]\d{4}\s+\w{3},.{0,40}?[+-]\d{4}\s+(\w+)\s+(.*)$/;

/** The head and the containers of `kubectl describe pod`, and the conditions of `kubectl describe node`. */
export function createDescribeReader(): LineReader {
  let block: Block | undefined;
  let namespace = '';
  let isInContainers = false;
  const finish = (pod: string): Seen[] => {
    const seen =
      block === undefined ? [] : [...endOf(block, pod, 'State'), ...endOf(block, pod, 'Last State')];
    block = undefined;
    return seen;
  };
  return (line, context) => {
    const condition = CONDITION.exec(line);
    if (condition !== null) {
      const [, ready, , message] = condition;
      return [{ what: 'node', isReady: ready === 'True', message, times: [] }];
    }
    const pod = context.described?.name ?? '';
    const container = isInContainers ? CONTAINER.exec(line)?.[1] : undefined;
    if (container !== undefined) {
      const before = finish(pod);
      block = { container, section: undefined, fields: new Map() };
      return before;
    }
    const [, indent = '', name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined) return block === undefined || !/^\s/.test(line) ? undefined : [];
    if (indent === '') {
      const before = finish(pod);
      isInContainers = name === 'Containers' || name === 'Init Containers';
      return top(name, value, context, before);
    }
    if (block === undefined) return undefined;
    keepField(block, name, value);
    return [];
  };

  function top(name: string, value: string, context: LineContext, before: Seen[]): Seen[] | undefined {
    if (name === 'Name') {
      context.capture++;
      context.described = { kind: 'node', name: value };
      namespace = '';
      return before;
    }
    if (name === 'Namespace') {
      namespace = value;
      if (context.described !== undefined)
        context.described = { kind: 'pod', name: podName(namespace, context.described.name) };
      return before;
    }
    const time = name === 'Start Time' || name === 'CreationTimestamp' ? takeTime(value).time : undefined;
    if (time !== undefined && context.described?.kind === 'pod')
      return [...before, { what: 'created', pod: context.described.name, times: [time] }];
    return isInContainers || before.length > 0 || KNOWN_HEAD.has(name) ? before : undefined;
  }
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

/** Keeps a field of a container's state. */
function keepField(block: Block, name: string, value: string): void {
  if (name === 'State' || name === 'Last State') {
    block.section = name;
    block.fields.set(name, value);
  } else if (block.section !== undefined && STATE_FIELDS.has(name))
    block.fields.set(`${block.section} ${name}`, value);
  else block.section = undefined;
}

function endOf({ container, fields }: Block, pod: string, section: string): Seen[] {
  if (fields.get(section) !== 'Terminated') return [];
  const exitCode = Number(fields.get(`${section} Exit Code`) ?? Number.NaN);
  if (!Number.isInteger(exitCode)) return [];
  const time = (name: string): SeenTime | undefined => takeTime(fields.get(`${section} ${name}`) ?? '').time;
  const [started, finished] = [time('Started'), time('Finished')];
  const ran =
    started?.by === 'clock' && finished?.by === 'clock' ? (finished.ms - started.ms) / 1000 : undefined;
  return [
    {
      what: 'end',
      pod,
      container,
      exitCode,
      reason: fields.get(`${section} Reason`) ?? '',
      ...(ran !== undefined && { ran }),
      times: finished === undefined ? [] : [finished],
    },
  ];
}
