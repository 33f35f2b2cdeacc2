import { clockText } from '../output/clock-text.js';
import type { SimulatedNodeState, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

export function explainNode(run: Simulation): Explanation[] {
  const nodes = afterStart(run.nodes);
  return nodes.flatMap((node, index) => {
    const before = nodes[index - 1];
    if (node.evicting && before?.evicting === false)
      return [{ t: node.t, text: explainEviction(node, nodes) }];
    if (node.ready === before?.ready || (before === undefined && node.ready === 'True')) return [];
    return [{ t: node.t, text: explainState(node, run) }];
  });
}

/** In seconds: faster starts are normal and need no explanation. */
const USUAL_START = 10;

function afterStart(nodes: readonly SimulatedNodeState[]): readonly SimulatedNodeState[] {
  const [first, second] = nodes;
  if (first?.ready !== 'False' || second?.ready !== 'True') return nodes;
  return first.problems.includes('pleg-starting') && second.t - first.t < USUAL_START
    ? nodes.slice(1)
    : nodes;
}

function explainState(node: SimulatedNodeState, run: Simulation): string {
  if (node.ready === 'True') return 'The node is Ready: the kubelet reports no problem.';
  if (node.ready === 'Unknown') {
    return 'The node is Unknown: the control plane received no heartbeat from the kubelet during its grace period.';
  }
  const cause = causeOf(node, run);
  return `The node is NotReady. The kubelet says: "${node.message}". ${cause}`.trimEnd();
}

function causeOf({ problems }: SimulatedNodeState, { calls, faults }: Simulation): string {
  if (problems.includes('pleg-starting')) {
    return 'The kubelet has just started, and has not listed the containers yet.';
  }
  if (problems.includes('pleg-unhealthy')) {
    return 'No relist has finished within the threshold: while one waits for the runtime, the next does not start.';
  }
  if (problems.includes('runtime-down')) {
    const failed = calls.filter(({ rpc, code = 'OK' }) => rpc === 'Status' && code !== 'OK');
    const why = failed.length > 0 ? `, and ${failed.length} requests since then failed` : '';
    return `The runtime's last good Status was more than 30.0s ago${why}.`;
  }
  const condition = problems.find((each) => each === 'runtime-not-ready' || each === 'network-not-ready');
  if (condition !== undefined) {
    const name = condition === 'runtime-not-ready' ? 'RuntimeReady' : 'NetworkReady';
    const isFault = faults.some(({ action }) => action === 'condition');
    return `The runtime itself reports ${name}=false${isFault ? ' (a fault rule sets it)' : ''}.`;
  }
  return '';
}

function explainEviction(node: SimulatedNodeState, nodes: readonly SimulatedNodeState[]): string {
  const tainted = nodes.findLast(
    (each, index) => each.t < node.t && each.taint !== undefined && nodes[index - 1]?.taint === undefined,
  );
  const since = tainted === undefined ? '' : ` since ${clockText(tainted.t)}`;
  return `The control plane evicts the pods: the node has been tainted ${node.taint}${since}, which they tolerate for 5m0.0s.`;
}
