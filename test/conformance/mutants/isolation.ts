import {
  type ContainerConfig,
  type LinuxContainerSecurityContext,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { before, type Mutant, mutant, refuse } from './mutant.js';

/** Changes the config of a container, before the runtime sees it. */
const config = (by: (config: ContainerConfig) => void) =>
  before('createContainer', (request) => {
    if (request.config) by(request.config);
  });

const security = (by: (context: LinuxContainerSecurityContext) => void) =>
  config(({ linux }) => {
    if (linux?.securityContext) by(linux.securityContext);
  });

/** Mutants of the invariants on users, namespaces, profiles and mounts. */
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
    ['INV-65.seccomp', 'INV-65.no-seccomp-profile'],
    security((context) => {
      context.seccomp = undefined;
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
];
