import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UserError } from '../../../base/input/user-error.js';
import { builtModule, findBuilt } from '../../../kubelet/hosts/virtual/build/cache.js';
import { isForVirtualTime } from '../../../kubelet/hosts/virtual/kubelet-program.js';
import { checkNamespaces } from '../../../kubelet/hosts/virtual/namespaces.js';
import type { ClusterScenario, controlPlane, ProgramEntry } from '../file/schema.js';

/** The version that the API server of Kubernetes 1.37 is tested with. */
const ETCD = 'go.etcd.io/etcd/server/v3@v3.7.0';

type Needed = (typeof controlPlane)[number];

export interface ClusterPrograms {
  /** Paths of the control plane's programs; the scheduler's only if there are nodes. */
  readonly control: Readonly<Record<Exclude<Needed, 'kube-scheduler'>, string>> & {
    readonly 'kube-scheduler'?: string;
  };
  /** Paths of the scenario's programs, by name. */
  readonly own: ReadonlyMap<string, string>;
}

/** Throws UserError that names each missing program and the command that builds it. */
export function findPrograms({ cluster }: ClusterScenario, file: string): ClusterPrograms {
  const missing: string[] = [];
  const found = (path: string | undefined, build: string): string => {
    if (path === undefined) missing.push(build);
    return path ?? '';
  };
  const release = (name: Needed) =>
    found(
      findBuilt(name, cluster.kubernetes)?.file,
      `mockri kubelet-build --version ${cluster.kubernetes} --program ./cmd/${name}`,
    );
  const module = (name: string) => found(builtModule(name)?.file, `mockri kubelet-build --module ${name}`);
  const control = {
    etcd: module(ETCD),
    'kube-apiserver': release('kube-apiserver'),
    'kube-controller-manager': release('kube-controller-manager'),
    ...(cluster.nodes && { 'kube-scheduler': release('kube-scheduler') }),
  };
  const own = new Map(
    cluster.programs.map((each) => [
      each.name,
      each.module === undefined ? ownProgram(each, file) : module(each.module),
    ]),
  );
  if (missing.length > 0)
    throw new UserError(
      `${missing.length === 1 ? 'a program is' : `${missing.length} programs are`} not built for virtual time; each build takes minutes, once:\n${missing.map((line) => `  ${line}`).join('\n')}`,
    );
  checkNamespaces();
  return { control, own };
}

function ownProgram({ name, program = '' }: ProgramEntry, file: string): string {
  const path = resolve(dirname(file), program);
  if (!existsSync(path)) throw new UserError(`program ${name}: ${path} does not exist`);
  if (!isForVirtualTime(path))
    throw new UserError(
      `program ${name}: ${path} was not built for virtual time; "mockri kubelet-build --source DIRECTORY --program PACKAGE --out FILE" builds one that is`,
    );
  return path;
}
