import { createHash } from 'node:crypto';
import { Code } from '../../cri/status-code.js';
import { type FinishedCall, faultsOf, type OtherEntry } from '../calls.js';
import type { Header } from '../entries.js';
import { showSubject } from '../show.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

const text = (key: string, value: string | undefined): Attribute[] =>
  value === undefined ? [] : [{ key, value: { stringValue: value } }];
const whole = (key: string, value: number | undefined): Attribute[] =>
  value === undefined ? [] : [{ key, value: { intValue: String(value) } }];

/** `SPAN_KIND_SERVER` and status codes of opentelemetry-proto trace.proto. */
const SERVER = 2;
const STATUS = { unset: 0, ok: 1, error: 2 } as const;

/** Minimum length of a span in ns: Jaeger reports a span without length as a negative duration, and corrects it. */
const LEAST = 1;

/** Spans per line, suitable for the collector's file receiver and Jaeger. */
const BATCH = 500;
/** Characters after which a line gets no more spans. */
const LONG = 16 * 1024 * 1024;

/**
 * OTLP JSON lines (opentelemetry-proto, TracesData): a span per call, with the ids of the caller's span if it sent a
 * `traceparent`, and minimal spans for other entries about a pod.
 */
export async function* otlpLines(
  header: Header,
  entries: AsyncIterable<FinishedCall | OtherEntry>,
): AsyncGenerator<string> {
  const toSpan = createSpans(header);
  let spans: string[] = [];
  let length = 0;
  for await (const each of entries) {
    const span = toSpan(each);
    if (span === undefined) continue;
    const json = JSON.stringify(span);
    spans.push(json);
    length += json.length;
    if (spans.length < BATCH && length < LONG) continue;
    yield lineOf(header, spans);
    spans = [];
    length = 0;
  }
  if (spans.length > 0) yield lineOf(header, spans);
}

/** `spans` are JSON. */
function lineOf({ runtime, recorder }: Header, spans: readonly string[]): string {
  const attributes = [
    ...text('service.name', runtime?.name ?? 'cri'),
    ...text('service.version', runtime?.version),
    ...text('telemetry.sdk.name', recorder),
  ];
  const resource = JSON.stringify({ attributes });
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"mockri.tape"},"spans":[${spans.join(',')}]}]}]}`;
}

/** Creates the span of a call or of another entry; undefined for entries without one. */
function createSpans(header: Header): (each: FinishedCall | OtherEntry) => object | undefined {
  const start = BigInt(header.startedAt);
  const at = (t: number) => String(start + BigInt(t));
  const idOf = (name: string, length: number) =>
    createHash('sha256').update(`${header.startedAt} ${name}`).digest('hex').slice(0, length);

  const ofCall = (each: FinishedCall): object => {
    const { call, end, line } = each;
    const { pod, container } = call;
    const [, traceId, parentSpanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(call.trace ?? '') ?? [];
    const isError = end !== undefined && end.code !== 'OK';
    return {
      traceId: traceId ?? idOf(`trace ${pod ? showSubject({ pod }) : call.method}`, 32),
      spanId: idOf(`span ${call.call}`, 16),
      ...(parentSpanId && { parentSpanId }),
      name: call.method,
      kind: SERVER,
      startTimeUnixNano: at(call.t),
      endTimeUnixNano: at(Math.max(end?.t ?? 0, call.t + LEAST)),
      attributes: [
        ...text('rpc.system', 'grpc'),
        ...text('rpc.service', 'runtime.v1'),
        ...text('rpc.method', call.method),
        ...whole('rpc.grpc.status_code', end && Code[end.code]),
        ...text('k8s.namespace.name', pod?.namespace),
        ...text('k8s.pod.name', pod?.name),
        ...text('k8s.pod.uid', pod?.uid),
        ...text('k8s.container.name', container?.name),
        ...whole('k8s.container.restart_count', container?.attempt),
        ...text('mockri.faults', faultsOf(each).join(', ') || undefined),
        ...whole('mockri.tape.line', line),
      ],
      status: isError ? { code: STATUS.error, message: end.details ?? end.code } : { code: STATUS.unset },
    };
  };
  const ofOther = ({ entry, line }: OtherEntry): object | undefined => {
    if (!['fault', 'container', 'sandbox', 'row', 'event', 'probe', 'backoff'].includes(entry.kind))
      return undefined;
    const { pod, container } = entry as {
      pod?: { namespace: string; name: string };
      container?: { name: string };
    };
    const { what, reason, rule, status } = entry as Record<string, unknown>;
    const name = [entry.kind, what ?? reason ?? rule ?? status].filter(Boolean).join(' ');
    return {
      traceId: idOf(`trace ${pod ? showSubject({ pod }) : 'rest'}`, 32),
      spanId: idOf(`line ${line}`, 16),
      name,
      kind: 1,
      startTimeUnixNano: at(entry.t),
      endTimeUnixNano: at(entry.t + LEAST),
      attributes: [
        ...text('k8s.namespace.name', pod?.namespace),
        ...text('k8s.pod.name', pod?.name),
        ...text('k8s.container.name', container?.name),
        ...whole('mockri.tape.line', line),
      ],
      status: { code: STATUS.unset },
    };
  };
  return (each) => (each.kind === 'finished' ? ofCall(each) : ofOther(each));
}
