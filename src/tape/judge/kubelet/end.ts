import { podText } from '../../pod-text.js';
import { goneAt, type KubeletRun, type RunBreach, type RunRule } from './rule.js';

/**
 * In seconds: how long the kubelet may take to remove the rest of a pod. Dead containers are collected every minute
 * (kubelet.go ContainerGCPeriod), and sandboxes in the round after their containers.
 */
const COLLECTION = 130;

export const nothingLeft: RunRule = {
  title: 'nothing of a pod is left in the runtime when it is gone',
  check: ({ run, end, from }) =>
    run.left.flatMap(({ pod, sandboxes, containers }): RunBreach[] => {
      const gone = goneAt(run, pod);
      if (gone === undefined || Math.max(gone, from) + COLLECTION > end) return [];
      const message = `pod ${pod} has been gone for ${gone}s, but the runtime still has ${sandboxes} of its sandboxes and ${containers} of its containers`;
      return [{ pod, message }];
    }),
};

/**
 * In seconds: how long a deleted pod may stay after its last container has ended. Each of the two or three steps of a
 * termination waits for a newer status, which comes with the next relist (pod_workers.go).
 */
const SOON = 3;
/** In seconds: earlier problems are corrected in this time (three retries every 10 to 15 s, backOffPeriod). */
const CORRECTED = 45;

/** A deletion waits for containers, not for the kubelet. */
export const goneSoon: RunRule = {
  title: 'a deleted pod is gone soon after its containers have ended',
  check: ({ run, pods, end, from }) =>
    pods.flatMap(({ metadata }): RunBreach[] => {
      const pod = podText(metadata);
      const deleted = run.pods.find((each) => each.pod === pod && each.what === 'deleted');
      if (deleted === undefined || (from > 0 && deleted.t < from + CORRECTED)) return [];
      const containerEvents = run.containerEvents.filter((event) => event.pod === pod);
      const started = containerEvents.filter(({ what }) => what === 'started').length;
      const ends = containerEvents.filter(({ what }) => what === 'ended');
      const ended = Math.max(deleted.t, ...ends.map(({ t }) => t));
      const gone = goneAt(run, pod) ?? end;
      if (started === 0 || ends.length < started || gone <= ended + SOON) return [];
      const message = `pod ${pod} was deleted at ${deleted.t}s and had no running container from ${ended}s on, but was there until ${gone}s`;
      return [{ pod, message }];
    }),
};

/** Whether the kubelet starts at this time: it has no runtime status yet. */
const isRestart = ({ kubelets }: KubeletRun, time: number): boolean =>
  kubelets.some(({ t, what }) => t === time && what === 'started');

export const nodeReady: RunRule = {
  title: 'the node is Ready at the end, and does not flap',
  check: ({ run, from }): RunBreach[] => {
    const last = run.nodes.at(-1);
    if (last === undefined) return [];
    if (last.ready !== 'True')
      return [
        { pod: '', message: `the node is Ready=${last.ready} at the end, since ${last.t}s: ${last.message}` },
      ];
    const changes = run.nodes.filter(({ ready }, index) => ready !== run.nodes[index - 1]?.ready);
    const falls = changes.filter(({ ready, t }) => ready !== 'True' && t > from && !isRestart(run, t));
    if (falls.length < 2) return [];
    const times = falls.map(({ t }) => `${t}s`).join(', ');
    return [
      { pod: '', message: `the node becomes NotReady again and again, at ${times}: ${falls[0]?.message}` },
    ];
  },
};

/** Client rules (docs/testing.md). Runtime rules don't count here, because fault rules break them. */
export const conversation: RunRule = {
  title: 'the kubelet keeps the rules for clients of a runtime',
  check: ({ judged }) =>
    judged.map(({ rule, message, about }) => ({
      pod: '',
      rule,
      message: `${message} (${about.slice(0, 12)})`,
    })),
};
