import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { NODE, type PodPlan, play, STAGGER } from '../../../support/recordings/pod-histories/manifests.js';
import {
  createHistoryRecord,
  type HistoryRecording,
} from '../../../support/recordings/pod-histories/record.js';
import type { PodJson } from '../../../support/recordings/pod-histories/tracks.js';

/** Interval of reads of /pods, in ms. */
const SAMPLE = 200;

/** A kubelet that reads manifests from `directory`, serves `/pods` and logs its events (-v=3). */
export interface WatchedKubelet {
  readonly directory: string;
  readonly podsUrl: string;
  readonly log: string;
}

/** Records the histories of pods under a running kubelet, for some seconds each. */
export async function recordPods(
  plans: readonly PodPlan[],
  seconds: number,
  kubelet: WatchedKubelet,
): Promise<HistoryRecording> {
  const record = createHistoryRecord(Date.now);
  const file = ({ name }: PodPlan) => join(kubelet.directory, `${name}.json`);
  const specs = new Map(plans.map((plan) => [`${plan.name}-${NODE}`, parse(plan.manifest).spec]));
  play(plans, {
    at: (delay, act) => void setTimeout(act, delay),
    put: (plan, manifest, isNew) => {
      if (isNew) record.begin(`${plan.name}-${NODE}`);
      writeFileSync(file(plan), manifest);
    },
    remove: (plan) => rmSync(file(plan)),
  });
  const end = Date.now() + plans.length * STAGGER + seconds * 1000;
  let present = new Set<string>();
  while (Date.now() < end) {
    const { items } = (await (await fetch(kubelet.podsUrl)).json()) as { items: PodJson[] | null };
    const names = new Set((items ?? []).map(({ metadata }) => metadata.name));
    for (const name of present) if (!names.has(name)) record.gone(name);
    present = names;
    // The specification as written, because every kubelet adds other defaults.
    for (const pod of items ?? []) record.status({ ...pod, spec: specs.get(pod.metadata.name) ?? pod.spec });
    await new Promise((resolve) => setTimeout(resolve, SAMPLE));
  }
  for (const { time, ...event } of loggedEvents(kubelet.log)) record.eventAt(time, event);
  for (const plan of plans) rmSync(file(plan), { force: true });
  return record.result();
}

const EVENT =
  /^I(\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d+).*"Event occurred" object="default\/([^"]+)" fieldPath="([^"]*)" kind="Pod" apiVersion="v1" type="(\w+)" reason="(\w+)" message=(".*")$/;

/** Without events about DNS, which a standalone node does not have. */
function loggedEvents(log: string) {
  const text = readFileSync(log, 'utf8').replace(
    /message=<\n([\s\S]*?)\n >/g,
    (_, lines: string) => `message=${JSON.stringify(lines.replace(/^\t/gm, ''))}`,
  );
  const year = new Date().getFullYear();
  const zone = execFileSync('date', ['+%z'], { encoding: 'utf8' }).trim();
  return text.split('\n').flatMap((line) => {
    const [, month, day, clock, pod = '', field = '', type, reason = '', message = '""'] =
      EVENT.exec(line) ?? [];
    if (type === undefined || reason.includes('DNS')) return [];
    const time = Date.parse(`${year}-${month}-${day}T${clock?.slice(0, 12)}${zone}`);
    const kind: 'Normal' | 'Warning' = type === 'Warning' ? 'Warning' : 'Normal';
    return [{ time, pod, field, type: kind, reason, message: JSON.parse(message) as string }];
  });
}
