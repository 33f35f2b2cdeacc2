import { counted } from '../base/input/counted.js';
import { type ContainerEventResponse, ContainerEventType } from '../cri/gen/runtime/v1/api.js';
import { durationOf, type FinishedCall, faultsOf, type OtherEntry } from './calls.js';
import type { EntryOf, Header, Subject } from './entries.js';

/** Formats nanoseconds: `1.2ms`, `41.3s`. */
export function showNanos(nanos: number): string {
  const millis = nanos / 1e6;
  if (millis < 1000) return `${millis.toFixed(1)}ms`;
  return `${(millis / 1000).toFixed(millis < 100_000 ? 2 : 1)}s`;
}

/** `default/web app(1)`, or the known part. */
export const showSubject = ({ pod, container }: Subject): string =>
  [
    pod && `${pod.namespace}/${pod.name}`,
    container && (container.name === '' ? container.id : `${container.name}(${container.attempt ?? '?'})`),
  ]
    .filter(Boolean)
    .join(' ');

export function showHeader({ runtime, recorder, startedAt, clock, kubelet, redacted }: Header): string {
  const time = new Date(Number(BigInt(startedAt) / 1_000_000n)).toISOString();
  const parts = [
    runtime ? `${runtime.name} ${runtime.version}` : 'a runtime that is not named',
    ...(kubelet ? [`kubelet ${kubelet}`] : []),
    `recorded by ${recorder} from ${time}`,
    ...(clock === 'real' ? [] : [`${clock} time`]),
    ...(redacted.length > 0 ? [`redacted: ${redacted.join(', ')}`] : []),
  ];
  return parts.join(', ');
}

/** `   41.300s      1.2ms  StartContainer  OK`, without the subject. */
export function showCall(finished: FinishedCall): string {
  const { call, end, messages } = finished;
  const duration = durationOf(finished);
  const took = duration === undefined ? 'open' : showNanos(duration);
  const faults = faultsOf(finished);
  const outcome = [
    end?.code ?? 'no answer',
    ...(end?.by ? [end.by === 'deadline' ? '(deadline passed)' : '(client left)'] : []),
    ...(messages > 0 ? [`${messages} messages`] : []),
    ...(end?.details ? [end.details] : []),
    ...(faults.length > 0 ? [`[${faults.join(', ')}]`] : []),
  ];
  return `${at(call.t)} ${took.padStart(9)}  ${call.method.padEnd(20)} ${outcome.join(' ')}`;
}

export function showEntry({ entry }: OtherEntry): string {
  return `${at(entry.t)} ${''.padStart(9)}  ${textOf(entry)}`;
}

const at = (t: number): string => `${(t / 1e9).toFixed(3)}s`.padStart(11);

function textOf(entry: OtherEntry['entry']): string {
  switch (entry.kind) {
    case 'message':
      return `message              ${eventName(entry)}`;
    case 'connection':
      return `connection ${entry.connection} (${entry.peer}) ${entry.what}`;
    case 'fault':
      return `fault ${entry.rule}: ${entry.action}${entry.method ? ` on ${entry.method}` : ''}`;
    case 'container': {
      const end = entry.what === 'ended' ? ` with ${entry.exitCode ?? '?'} ${entry.reason ?? ''}` : '';
      return `container ${entry.what}${end}`.trimEnd();
    }
    case 'plugin':
      return `plugin ${entry.plugin} ${entry.what}`;
    case 'nri':
      return nriText(entry);
    case 'sandbox':
      return `sandbox ${entry.what}`;
    case 'image':
      return `image ${entry.image} ${entry.what}`;
    case 'log':
      return `log (${entry.from}) ${entry.text}`;
    case 'row':
      return `row  ${entry.ready}  ${entry.status}  ${entry.restarts}`;
    case 'event':
      return `event ${entry.type} ${entry.reason} ${entry.field} ${entry.text}`.replace(/ {2,}/g, ' ');
    case 'node':
      return `node Ready=${entry.ready} ${entry.reason} ${entry.text}`;
    case 'backoff':
      return `back-off ${entry.waits ? 'waits' : 'starts'}, delay ${showNanos(entry.delay)}`;
    case 'pleg':
      return `PLEG ${entry.state} ${entry.text ?? ''}`.trimEnd();
    case 'probe':
      return `${entry.probe} probe: ${entry.outcome} ${entry.text ?? ''}`.trimEnd();
    case 'kubelet':
      return `kubelet ${entry.what}${entry.text === undefined ? '' : `: ${entry.text}`}`;
    case 'pod':
      return `pod ${entry.what}`;
    case 'step':
      return `step ${entry.text}`;
    case 'gap':
      return `gap: ${counted(entry.lost, 'entry was', 'entries were')} lost: ${entry.text}`;
    case 'header':
      return 'header';
  }
}

function nriText(entry: EntryOf<'nri'>): string {
  const { plugin, method, took, details, shows, adjusts, updates } = entry;
  const parts = [
    showNanos(took),
    ...(shows ? [`shows ${counted(shows.length, 'container')}`] : []),
    ...(adjusts ? [`adjusts ${adjusts.join(', ')}`] : []),
    ...(updates ? [`updates ${counted(updates.length, 'container')}`] : []),
    ...(details === undefined ? [] : [`failed: ${details}`]),
  ];
  return `nri ${method} ${plugin} ${parts.join('; ')}`;
}

function eventName({ method, message }: Extract<OtherEntry['entry'], { kind: 'message' }>): string {
  if (method !== 'GetContainerEvents') return method;
  const { containerEventType: type, containerId, podSandboxStatus } = message.value<ContainerEventResponse>();
  const [, name = String(type)] = /^CONTAINER_(\w+)_EVENT$/.exec(ContainerEventType[type] ?? '') ?? [];
  return `${name}${podSandboxStatus?.id === containerId ? ' (sandbox)' : ''}`;
}
