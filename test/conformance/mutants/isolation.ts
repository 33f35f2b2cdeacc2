import {
  type ContainerConfig,
  type LinuxContainerSecurityContext,
  NamespaceMode,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { after, before, ContainerState, type Mutant, mutant, refuse } from './mutant.js';

/** Changes the config of a container, before the runtime sees it. */
const config = (by: (config: ContainerConfig) => void) =>
  before('createContainer', (request) => {
    if (request.config) by(request.config);
  });

const security = (by: (context: LinuxContainerSecurityContext) => void) =>
  config(({ linux }) => {
    if (linux?.securityContext) by(linux.securityContext);
  });

export const isolationMutants: readonly Mutant[] = [
  mutant(
    'run_as_user is ignored',
    'INV-65.user',
    security((context) => {
      context.runAsUser = undefined;
      context.runAsGroup = undefined;
    }),
  ),
  mutant(
    'supplemental_groups is ignored',
    'INV-65.user',
    security((context) => {
      context.supplementalGroups = [];
    }),
  ),
  mutant(
    'Strict adds a group',
    'INV-65.strict-groups',
    security((context) => {
      if (context.supplementalGroupsPolicy === SupplementalGroupsPolicy.Strict)
        context.supplementalGroups.push(10n);
    }),
  ),
  mutant(
    'an unknown user is root',
    'INV-65.unknown-user',
    security((context) => {
      context.runAsUsername = '';
    }),
  ),
  mutant(
    'a container is not in the user namespace of its pod',
    'INV-65.user-namespace',
    security(({ namespaceOptions }) => {
      if (namespaceOptions) namespaceOptions.usernsOptions = undefined;
    }),
  ),
  mutant(
    'a user namespace that is wrong is ignored',
    'INV-65.no-user-namespace',
    before('runPodSandbox', (request) => {
      const options = request.config?.linux?.securityContext?.namespaceOptions;
      if (options) options.usernsOptions = undefined;
    }),
  ),
  mutant(
    'seccomp is ignored',
    ['INV-65.seccomp', 'INV-65.seccomp-localhost', 'INV-65.no-seccomp-profile'],
    security((context) => {
      context.seccomp = undefined;
    }),
  ),
  mutant(
    'SELinux options are refused',
    'INV-65.selinux',
    security(({ selinuxOptions }) => {
      if (selinuxOptions) refuse(2, 'SELinux is not enabled');
    }),
  ),
  mutant(
    'AppArmor is refused',
    'INV-65.apparmor',
    security(({ apparmor }) => {
      if (apparmor) refuse(2, 'AppArmor is not enabled');
    }),
  ),
  mutant(
    'a readonly mount can be written',
    'INV-66.read-only',
    config(({ mounts }) => {
      for (const mount of mounts) mount.readonly = false;
    }),
  ),
  mutant(
    'recursive_read_only is ignored',
    ['INV-66.recursive', 'INV-66.recursive-refused'],
    config(({ mounts }) => {
      for (const mount of mounts) mount.recursiveReadOnly = false;
    }),
  ),
  mutant(
    'an image is not mounted',
    'INV-66.image',
    config((given) => {
      given.mounts = [];
    }),
  ),
  mutant(
    'image_sub_path is ignored',
    'INV-66.image-sub-path',
    config(({ mounts }) => {
      for (const mount of mounts) mount.imageSubPath = '';
    }),
  ),
  mutant(
    'args lose those that are empty',
    'INV-67.args',
    config((given) => {
      given.args = given.args.filter((one) => one !== '');
    }),
  ),
  mutant(
    'working_dir is ignored',
    'INV-67.working-dir',
    config((given) => {
      given.workingDir = '';
    }),
  ),
  mutant(
    'environment variables end at the first equals sign',
    'INV-67.envs',
    config(({ envs }) => {
      for (const one of envs) one.value = Buffer.from(String(one.value).split('=')[0] ?? '');
    }),
  ),
  mutant(
    'capabilities are ignored',
    'INV-67.capabilities',
    security((context) => {
      context.capabilities = undefined;
    }),
  ),
  mutant(
    'no_new_privs is ignored',
    'INV-67.no-new-privs',
    security((context) => {
      context.noNewPrivs = false;
    }),
  ),
  mutant(
    'masked_paths is ignored',
    'INV-67.paths',
    security((context) => {
      context.maskedPaths = [];
    }),
  ),
  mutant(
    'readonly_paths is ignored',
    'INV-67.paths',
    security((context) => {
      context.readonlyPaths = [];
    }),
  ),
  mutant(
    'readonly_rootfs is ignored',
    'INV-67.read-only-root',
    security((context) => {
      context.readonlyRootfs = false;
    }),
  ),
  mutant(
    'a log is written without log_path',
    'INV-67.no-log',
    config((given) => {
      if (given.logPath === '') given.logPath = 'unwanted.log';
    }),
  ),
  mutant(
    'a container with its own pid namespace is in that of the pod',
    ['INV-67.own-pid'],
    security(({ namespaceOptions }) => {
      if (namespaceOptions?.pid === NamespaceMode.CONTAINER) namespaceOptions.pid = NamespaceMode.POD;
    }),
  ),
  mutant(
    'no container shares a pid namespace',
    ['INV-67.pod-pid', 'INV-67.target-pid'],
    security(({ namespaceOptions }) => {
      if (namespaceOptions) namespaceOptions.pid = NamespaceMode.CONTAINER;
    }),
  ),
  mutant(
    'every pod has the same hostname',
    'INV-67.hostname',
    before('runPodSandbox', ({ config: given }) => {
      if (given) given.hostname = 'pod';
    }),
  ),
  mutant(
    'options of dns_config are ignored',
    'INV-67.dns',
    before('runPodSandbox', ({ config: given }) => {
      if (given?.dnsConfig) given.dnsConfig.options = [];
    }),
  ),
  mutant('a stopped pod keeps its address', 'INV-67.addresses', (real) => {
    const addresses = new Map<string, string>();
    return after('podSandboxStatus', ({ status }) => {
      if (status?.network === undefined) return;
      status.network.ip ||= addresses.get(status.id) ?? '';
      addresses.set(status.id, status.network.ip);
    })(real);
  }),
  mutant(
    'PodSandboxStatus has only running containers',
    'INV-67.statuses',
    after('podSandboxStatus', (reply) => {
      reply.containersStatuses = reply.containersStatuses.filter(
        ({ state }) => state === ContainerState.CONTAINER_RUNNING,
      );
    }),
  ),
];
