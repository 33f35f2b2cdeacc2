import { parseDuration } from '../../base/input/duration.js';
import type { EntryOf, Happening } from '../entries.js';
import { codeName, readPairs, unquote } from './go-text.js';
import { createImportedCalls, type LoggedCall } from './imported-calls.js';
import { plegReport } from './kubelet-texts.js';
import type { LogReader } from './log-reader.js';
import { jsonOfProtoText } from './prototext.js';

const LACKS = [
  'the config of CreateContainer, the command and the output of ExecSync',
  'calls for images, stats and events, and calls that the kubelet makes without logging',
  'which RunPodSandbox a reply belongs to, when several are in progress',
  'the year, and requests and answers of levels below -v=10',
];

const LINE = /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{6})\s+\d+ \S+\] "((?:\\.|[^"\\])*)"(.*)$/;
const CALL = /^\[RemoteRuntimeService\] (\w+?)( ?Response)?$/;
const FAILED = /^(\w+)\b.* from runtime service failed$/;

/** Reads the kubelet's lines about its PLEG and its calls to the runtime, at `-v=10`. `year` applies to all lines. */
export function createKubeletLogReader(year: number): LogReader {
  const calls = createImportedCalls();
  return {
    option: '-v=10',
    lacks: LACKS,
    counts: calls.counts,
    read: (line) => {
      const [, month, day, clock, quoted = '', rest = ''] = LINE.exec(line) ?? [];
      if (clock === undefined) return undefined;
      const text = unquote(quoted);
      const time = timeOf(`${year}-${month}-${day}T${clock}`);
      const call = CALL.exec(text);
      const failed = call === null ? FAILED.exec(text) : null;
      const method = call?.[1] ?? failed?.[1];
      if (method === undefined || !METHODS.has(method)) {
        const pleg = plegReport(`${text}${rest}`);
        return pleg && { time, happening: { kind: 'pleg', ...pleg } };
      }
      const pairs = readPairs(rest);
      const key = keyOf(method, pairs);
      const happening = failed
        ? failure(method, key, time, pairs)
        : said(method, key, time, pairs, { isAnswer: call?.[2] !== undefined, length: line.length });
      return happening && { time, happening };
    },
  };

  function said(
    method: string,
    key: string,
    time: bigint,
    pairs: ReadonlyMap<string, string>,
    { isAnswer, length }: { readonly isAnswer: boolean; readonly length: number },
  ): Happening | undefined {
    // The reply that CreateContainer logs lacks that word.
    if (isAnswer || (method === 'CreateContainer' && pairs.has('containerID')))
      return calls.ended({ time, method, key, code: 'OK', message: answerOf(method, pairs) });
    return calls.begun(requestOf(method, key, time, pairs), length);
  }

  function failure(method: string, key: string, time: bigint, pairs: ReadonlyMap<string, string>) {
    const [, code, details] = /^rpc error: code = (\w+) desc = (.*)$/s.exec(pairs.get('err') ?? '') ?? [];
    return calls.ended({
      time,
      method,
      key,
      message: {},
      code: codeName(code ?? 'Unknown') as EntryOf<'reply'>['code'],
      details: details ?? pairs.get('err'),
    });
  }
}

const METHODS = new Set([
  'Version',
  'Status',
  'RuntimeConfig',
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'PodSandboxStatus',
  'ListPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'ListContainers',
  'ContainerStatus',
  'ExecSync',
]);

const keyOf = (method: string, pairs: ReadonlyMap<string, string>): string =>
  method === 'RunPodSandbox'
    ? ''
    : method === 'CreateContainer'
      ? (pairs.get('podSandboxID') ?? '')
      : (pairs.get('containerID') ?? pairs.get('podSandboxID') ?? '');

const timeOf = (text: string): bigint =>
  BigInt(Date.parse(`${text.slice(0, -7)}Z`)) * 1_000_000n + BigInt(text.slice(-6)) * 1000n;

function requestOf(
  method: string,
  key: string,
  time: bigint,
  pairs: ReadonlyMap<string, string>,
): LoggedCall {
  const timeout = parseDuration(pairs.get('timeout') ?? '');
  const [podSandboxId, containerId] = [pairs.get('podSandboxID'), pairs.get('containerID')];
  const filter = pairs.get('filter') ?? '';
  const message = {
    ...(podSandboxId !== undefined && { podSandboxId }),
    ...(containerId !== undefined && { containerId }),
    ...(filter !== '' && filter !== '<nil>' && jsonOfProtoText(method, 'Request', filter, ['filter'])),
    ...(method === 'RunPodSandbox' && {
      ...jsonOfProtoText(method, 'Request', pairs.get('config') ?? '', ['config']),
      ...(pairs.get('runtimeHandler') && { runtimeHandler: pairs.get('runtimeHandler') }),
    }),
    ...(method === 'Version' && { version: pairs.get('apiVersion') ?? '' }),
    // StopContainer logs its grace period as timeout, and ExecSync its own limit.
    ...(method === 'StopContainer' && { timeout: pairs.get('timeout') ?? '0' }),
    ...(method === 'ExecSync' && { timeout: String(Math.round((timeout ?? 0) / 1000)) }),
  };
  const isOwn = method === 'StopContainer' || method === 'ExecSync';
  return {
    time,
    method,
    key,
    message,
    ...(!isOwn && timeout !== undefined && { timeout: timeout * 1e6 }),
  };
}

function answerOf(method: string, pairs: ReadonlyMap<string, string>): Record<string, unknown> {
  switch (method) {
    case 'RunPodSandbox':
      return { podSandboxId: pairs.get('podSandboxID') ?? '' };
    case 'CreateContainer':
      return { containerId: pairs.get('containerID') ?? '' };
    case 'Version':
      return jsonOfProtoText(method, 'Response', pairs.get('apiVersion') ?? '');
    case 'Status':
    case 'PodSandboxStatus':
    case 'ContainerStatus':
      return jsonOfProtoText(method, 'Response', pairs.get('status') ?? '', ['status']);
    case 'ListPodSandbox':
      return { items: goList(pairs.get('items')) };
    case 'ListContainers':
      return { containers: goList(pairs.get('containers')) };
    case 'RuntimeConfig':
      return jsonOfProtoText(method, 'Response', pairs.get('linuxConfig') ?? '', ['linux']);
    case 'ExecSync':
      return { exitCode: Number(pairs.get('exitCode') ?? 0) };
    default:
      return {};
  }
}

/** Parses messages in Go's own JSON: names with underscores, and 64-bit numbers as numbers. */
function goList(text = 'null'): unknown[] {
  // An unterminated text extends to the end of the input, where JSON rejects it.
  const whole = text.replace(
    /("[^"\\]*(?:\\.[^"\\]*)*"?)|(-?\d{16,})/g,
    (_, quoted: string, number: string) => quoted ?? `"${number}"`,
  );
  const list = JSON.parse(whole) as unknown[] | null;
  return (list ?? []).map(withJsonNames);
}

/** Labels and annotations keep their names. */
function withJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withJsonNames);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    name === 'labels' || name === 'annotations' ? inner : withJsonNames(inner),
  ]);
  return Object.fromEntries(fields);
}
