import type { Breach, RunRule } from './rule.js';

/**
 * How long the kubelet may take to remove what is left of a pod, in seconds: the collection of dead containers runs every
 * minute (kubelet.go ContainerGCPeriod), and removes sandboxes in the round after their containers.
 */
const COLLECTION = 130;

/** Nothing is left in the runtime of a pod that is gone. */
export const nothingLeft: RunRule = {
  title: 'nothing of a pod is left in the runtime when it is gone',
  check: ({ run, end, from }) =>
    run.left.flatMap(({ pod, sandboxes, containers }): Breach[] => {
      const gone = run.steps.find(({ text }) => text === `pod ${pod} is gone`);
      if (gone === undefined || Math.max(gone.t, from) + COLLECTION > end) return [];
      const message = `pod ${pod} is gone since ${gone.t}s, but the runtime still has ${sandboxes} of its sandboxes and ${containers} of its containers`;
      return [{ pod, message }];
    }),
};

/** The node is Ready when nothing is wrong with the runtime. */
export const nodeReady: RunRule = {
  title: 'the node is Ready at the end',
  check: ({ run }): Breach[] => {
    const last = run.nodes.at(-1);
    if (last === undefined || last.ready === 'True') return [];
    return [
      { pod: '', message: `the node is Ready=${last.ready} at the end, since ${last.t}s: ${last.message}` },
    ];
  },
};

/**
 * What the kubelet asks for makes sense (docs/testing.md). The rules of the runtime (docs/invariants.md) do not count here:
 * fault rules make it break them.
 */
export const conversation: RunRule = {
  title: 'the kubelet keeps the rules for clients of a runtime',
  check: ({ judged }) =>
    judged.map(({ rule, message, about }) => ({
      pod: '',
      rule,
      message: `${message} (${about.slice(0, 12)})`,
    })),
};
