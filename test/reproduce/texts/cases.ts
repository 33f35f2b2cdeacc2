import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A published text, unchanged, and the manifest of its pod. */
export interface TextCase {
  /** The directory of its files. */
  readonly name: string;
  readonly title: string;
  readonly url: string;
  /** Whether the page has the manifest, or it was written as the smallest one that the text implies. */
  readonly manifest: 'given' | 'implied';
}

const github = (
  repository: string,
  number: number,
  manifest: TextCase['manifest'],
  name: string,
): TextCase => ({
  name,
  title: `${repository.split('/')[1]} #${number}`,
  url: `https://github.com/${repository}/issues/${number}`,
  manifest,
});

export const textCases: readonly TextCase[] = [
  github('kubernetes/kubernetes', 91215, 'implied', 'goldpinger'),
  github('kubernetes/kubernetes', 17460, 'implied', 'crash-hours'),
  github('kubernetes/kubernetes', 32682, 'implied', 'terminating'),
  github('kubernetes/kubernetes', 124002, 'implied', 'init-order'),
  github('kubernetes/kubernetes', 126543, 'implied', 'init-created'),
  github('kubernetes/kubernetes', 129827, 'implied', 'evented-log'),
  github('kubernetes/kubeadm', 2913, 'implied', 'sandbox-changed'),
  github('kubernetes/minikube', 6160, 'implied', 'sandbox-log'),
  github('kubernetes-retired/kubernetes-anywhere', 500, 'implied', 'pleg-log'),
  github('dgkanatsios/CKAD-exercises', 176, 'implied', 'ckad'),
  github('portainer/portainer', 5314, 'given', 'portainer'),
  github('DanWahlin/DockerAndKubernetesCourseCode', 26, 'given', 'node-configmap'),
  github('tektoncd/pipeline', 3330, 'given', 'tekton'),
  github('AOEpeople/kubernetes-sidecar-cleaner', 3, 'given', 'job-never'),
  {
    name: 'app-1',
    title: 'Stack Overflow, answer 69437960',
    url: 'https://stackoverflow.com/a/69437960',
    manifest: 'given',
  },
  {
    name: 'limits',
    title: 'koti.dev, failed-resource-limits',
    url: 'https://koti.dev/posts/failed-resource-limits',
    manifest: 'given',
  },
];

const directory = new URL('cases/', import.meta.url).pathname;

/** The manifest and the texts of a case. */
export const filesOf = ({ name }: TextCase): { readonly pod: string; readonly saw: readonly string[] } => {
  const files = readdirSync(join(directory, name)).sort();
  const paths = files.map((file) => join(directory, name, file));
  return {
    pod: join(directory, name, 'pod.yaml'),
    saw: paths.filter((path) => path.endsWith('.txt')),
  };
};
