import { invalid } from '../../../cri/errors.js';
import {
  NamespaceMode,
  type PodSandboxConfig,
  type PodSandboxMetadata,
  type PortMapping,
  Protocol,
  type RuntimeHandler,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Engine } from '../engine.js';
import type { EngineRules } from '../rules.js';
import { checkLogDirectory } from './log-path.js';
import { checkGroup, checkNamespaces, checkUserNamespace } from './security.js';

/** HOST_NAME_MAX on Linux. */
const LONGEST_HOSTNAME = 64;

export type CheckRules = Pick<Engine, 'handlers' | 'rules'>;

export interface CheckedSandbox {
  readonly config: PodSandboxConfig;
  readonly metadata: PodSandboxMetadata;
  readonly hostNetwork: boolean;
}

/** Checks a RunPodSandbox request without any state (cri-api PodSandboxConfig). */
export function checkSandbox(
  { handlers, rules }: CheckRules,
  config: PodSandboxConfig | undefined,
  runtimeHandler: string,
): CheckedSandbox {
  if (config === undefined)
    throw invalid('sandbox config is missing', { name: 'no-config', object: 'sandbox' });
  const metadata = checkSandboxMetadata(config, rules);
  const handler = findHandler(handlers, runtimeHandler);
  const security = config.linux?.securityContext;
  const namespaces = security?.namespaceOptions;
  if (rules.checks === undefined) {
    checkHostname(config.hostname);
    checkLogDirectory(config.logDirectory);
    for (const mapping of config.portMappings) checkPort(mapping);
    if (namespaces !== undefined) checkNamespaces(namespaces);
  } else rules.checks.sandbox(config);
  if (security !== undefined) checkGroup(security);
  if (namespaces?.usernsOptions !== undefined) checkUserNamespace(namespaces.usernsOptions, handler);
  return { config, metadata, hostNetwork: namespaces?.network === NamespaceMode.NODE };
}

/** Throws `invalid` if name, uid or namespace is missing. */
export function checkSandboxMetadata(
  config: PodSandboxConfig,
  { emptyNames }: Pick<EngineRules, 'emptyNames'>,
): PodSandboxMetadata {
  const { metadata } = config;
  if (metadata === undefined)
    throw invalid('sandbox config must include metadata', { name: 'no-metadata', object: 'sandbox' });
  for (const field of ['name', 'namespace', 'uid'] as const)
    if (metadata[field] === '' && !emptyNames)
      throw invalid(`sandbox metadata has no ${field}`, { name: 'no-name', object: 'sandbox', field });
  return metadata;
}

/** Finds the handler by name; "" names the default handler (cri-api RunPodSandboxRequest). Throws `invalid`. */
export function findHandler(handlers: readonly RuntimeHandler[], name: string): RuntimeHandler {
  const handler = handlers.find((candidate) => candidate.name === name);
  if (handler === undefined)
    throw invalid(
      `no runtime for "${name}" is configured: the runtime handlers are ${handlers.map((known) => `"${known.name}"`).join(', ')}`,
      { name: 'unknown-handler', handler: name },
    );
  return handler;
}

/** sethostname(2) takes 64 bytes; Kubernetes restricts them to RFC 1123. */
function checkHostname(hostname: string): void {
  if (hostname === '') return;
  if (hostname.length > LONGEST_HOSTNAME)
    throw invalid(`hostname has ${hostname.length} characters, at most ${LONGEST_HOSTNAME} are allowed`);
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i.test(hostname))
    throw invalid(`hostname "${hostname}" may hold letters, digits, "-" and "." only`);
}

function checkPort({ protocol, containerPort, hostPort }: PortMapping): void {
  if (Protocol[protocol] === undefined || protocol === Protocol.UNRECOGNIZED)
    throw invalid(`port mapping has an unknown protocol ${protocol}: use TCP, UDP or SCTP`);
  if (containerPort < 1 || containerPort > 65_535)
    throw invalid(`container_port ${containerPort} is out of range 1 to 65535`);
  if (hostPort < 0 || hostPort > 65_535)
    throw invalid(`host_port ${hostPort} is out of range 0 (none) to 65535`);
}
