import type { SimulatedNodeState, Simulation } from '../run-recorder.js';
import type { Finding } from './finding.js';

/** Why the node turned NotReady or Unknown, and what that did to the pods. */
export function explainNode(run: Simulation): Finding[] {
  const { nodes } = run;
  return nodes.flatMap((node, index) => {
    const before = nodes[index - 1];
    if (node.evicting && before?.evicting === false)
      return [{ t: node.t, text: explainEviction(node, nodes) }];
    if (node.ready === before?.ready || (before === undefined && node.ready === 'True')) return [];
    return [{ t: node.t, text: explainState(node, run) }];
  });
}

function explainState(node: SimulatedNodeState, run: Simulation): string {
  if (node.ready === 'True') return 'The node is Ready: the kubelet says that nothing is amiss.';
  if (node.ready === 'Unknown') {
    return 'The node is Unknown: the control plane has not heard from the kubelet for the whole of its grace period.';
  }
  const cause = causeOf(node.message, run);
  return `The node is NotReady, in the kubelet's words "${node.message}". ${cause}`;
}

/** What a complaint of the kubelet's goes back to, as far as the records tell. */
function causeOf(message: string, { log, faults }: Simulation): string {
  if (message.includes('pleg has yet to be successful')) {
    return 'It has just started, and has yet to see the runtime for the first time.';
  }
  if (message.includes('PLEG is not healthy')) {
    return 'No relist has come through for longer than the threshold: while one waits for an answer of the runtime, no other begins.';
  }
  if (message.includes('container runtime is down')) {
    const failed = log.filter(({ text }) => text.startsWith('Container runtime sanity check failed'));
    const why = failed.length > 0 ? `, and ${failed.length} later checks failed` : '';
    return `The runtime's last good Status was more than 30 s ago${why}.`;
  }
  const condition = /(Runtime|Network)Ready=false/.exec(message)?.[1];
  if (condition !== undefined) {
    const isFault = faults.some(({ action }) => action === 'condition');
    return `The runtime itself reports ${condition}Ready=false${isFault ? ' (a fault rule had it say so)' : ''}.`;
  }
  return '';
}

function explainEviction(node: SimulatedNodeState, nodes: readonly SimulatedNodeState[]): string {
  const tainted = nodes.findLast(
    (each, index) => each.t < node.t && each.taint !== undefined && nodes[index - 1]?.taint === undefined,
  );
  const since = tainted === undefined ? '' : ` since ${tainted.t.toFixed(1)}s`;
  return `The control plane evicts the pods: the node has been tainted ${node.taint}${since}, which they tolerate for 300 s.`;
}
