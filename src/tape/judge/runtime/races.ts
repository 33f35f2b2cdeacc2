import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

const rules: Readonly<Record<string, string>> = {
  StartContainer: 'INV-15.start',
  StopContainer: 'INV-15.stop',
  RemoveContainer: 'INV-15.remove',
};

interface Calls {
  readonly open: Set<number>;
  last?: { readonly callLine: number; readonly replyLine: number; readonly isOk: boolean };
}

const overlapsAny = (of: Calls | undefined, line: number): boolean =>
  of !== undefined && (of.open.size > 0 || (of.last !== undefined && of.last.replyLine > line));

const MOST = 5000;

/** INV-15: of overlapping calls one start succeeds, and all stops and removals do. */
export function watchRaces(objects: Objects, findings: Findings): Watcher {
  const calls = new Map<string, Calls>();
  const callsOf = (method: string, id: string): Calls => {
    const key = `${method} ${id}`;
    const known = calls.get(key) ?? { open: new Set() };
    calls.set(key, known);
    forgetOldest(calls, MOST);
    return known;
  };

  const judge = (
    { method, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall,
    id: string,
    of: Calls,
  ) => {
    const rule = rules[method] ?? '';
    const name = objects.byId.get(id)?.name ?? id;
    const { last } = of;
    const overlaps = of.open.size > 0 || (last !== undefined && last.replyLine > callLine);
    const isMixed = Object.keys(rules).some(
      (other) => other !== method && overlapsAny(calls.get(`${other} ${id}`), callLine),
    );
    if (isMixed) return;
    if (method === 'StartContainer') {
      if (isOk && last?.isOk && overlaps)
        findings.add(rule, id, `two calls of StartContainer for ${name} overlap, and both are OK`, [
          last.replyLine,
          replyLine,
        ]);
    } else if (!isOk && !isOpenEnded && overlaps)
      findings.add(rule, id, `${method} of ${name} returns ${reply.code} while another one is in progress`, [
        callLine,
        replyLine,
      ]);
    if (isOk || last === undefined) of.last = { callLine, replyLine, isOk };
  };

  return {
    called: ({ call, line }) => {
      if (rules[call.method] === undefined) return;
      callsOf(call.method, call.message.value<{ containerId: string }>().containerId).open.add(line);
    },
    answered: (exchange) => {
      const { method, call, callLine } = exchange;
      if (rules[method] === undefined) return;
      const id = call.message.value<{ containerId: string }>().containerId;
      const of = callsOf(method, id);
      of.open.delete(callLine);
      if (id !== '') judge(exchange, id, of);
    },
    forget: () => calls.clear(),
  };
}
