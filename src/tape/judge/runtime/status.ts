import type {
  RunPodSandboxRequest,
  StatusResponse,
  VersionResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

export function watchStatus(findings: Findings): Watcher {
  const constants = new Map<string, { readonly text: string; readonly line: number }>();
  /** Checks that a value stays constant while a runtime runs; `key` names it. */
  const constant = (key: string, text: string, line: number) => {
    const before = constants.get(key);
    if (before !== undefined && before.text !== text)
      findings.add('INV-50.constant', key, `${key} changes from ${before.text} to ${text}`, [
        before.line,
        line,
      ]);
    constants.set(key, { text, line });
  };

  const versions = ({ method, reply, replyLine, isOk }: AnsweredCall) => {
    if (method !== 'Version' || !isOk || reply.message === undefined) return;
    const answer = reply.message.value<VersionResponse>();
    const text = JSON.stringify(answer);
    if (Object.values(answer).some((each) => each === ''))
      findings.add('INV-50.version', 'version', `Version leaves a field empty: ${text}`, [replyLine]);
    constant('the version', text, replyLine);
  };

  let known: { readonly names: readonly string[]; readonly line: number } | undefined;
  const handlers = ({ method, reply, replyLine, isOk }: AnsweredCall) => {
    if (method !== 'Status' || !isOk || reply.message === undefined) return;
    const names = reply.message.value<StatusResponse>().runtimeHandlers.map(({ name }) => name);
    for (const name of new Set(names))
      if (names.indexOf(name) !== names.lastIndexOf(name))
        findings.add('INV-50.handlers', name, `the runtime handler "${name}" is listed twice`, [replyLine]);
    if (names.length > 0) known = { names, line: replyLine };
    constant('the list of runtime handlers', JSON.stringify(names.sort()), replyLine);
  };

  const unknownHandler = ({ method, call, replyLine, isOk }: AnsweredCall) => {
    if (method !== 'RunPodSandbox' || !isOk || known === undefined) return;
    const { runtimeHandler: name } = call.message.value<RunPodSandboxRequest>();
    if (name !== '' && !known.names.includes(name))
      findings.add(
        'INV-50.handlers',
        name,
        `RunPodSandbox with the runtime handler "${name}", which Status lacks, is OK`,
        [known.line, replyLine],
      );
  };

  return {
    answered: (exchange) => {
      for (const look of [versions, handlers, unknownHandler]) look(exchange);
      judgeConditions(exchange, findings);
    },
  };
}

function judgeConditions({ method, reply, replyLine, isOk }: AnsweredCall, findings: Findings): void {
  if (method !== 'Status' || !isOk || reply.message === undefined) return;
  const shown = reply.message.value<StatusResponse>().status?.conditions ?? [];
  for (const type of ['RuntimeReady', 'NetworkReady']) {
    const condition = shown.find((each) => each.type === type);
    if (condition === undefined) findings.add('INV-51.conditions', type, `Status lacks ${type}`, [replyLine]);
    else if (!condition.status && condition.reason === '')
      findings.add('INV-51.conditions', type, `${type} is false without a reason`, [replyLine]);
  }
}
