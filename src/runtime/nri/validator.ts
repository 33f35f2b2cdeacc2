import {
  type Container,
  type ContainerAdjustment,
  Field,
  type PodSandbox,
  SecurityProfile_ProfileType as Seccomp,
} from './gen/nri/v1alpha1/api.js';
import type { Owners } from './merge/owners.js';

/** The config of the built-in validator (nri plugins/default-validator). */
export interface ValidatorConfig {
  readonly rejectOCIHookAdjustment?: boolean | undefined;
  readonly rejectRuntimeDefaultSeccompAdjustment?: boolean | undefined;
  readonly rejectUnconfinedSeccompAdjustment?: boolean | undefined;
  readonly rejectCustomSeccompAdjustment?: boolean | undefined;
  readonly rejectNamespaceAdjustment?: boolean | undefined;
  readonly rejectSysctlAdjustment?: boolean | undefined;
  readonly requiredPlugins?: readonly string[] | undefined;
  /** Key of the annotation of pods that need none of them. */
  readonly tolerateMissingPluginsAnnotation?: string | undefined;
}

/** Annotation with the required plugins of a pod, as a YAML list. */
const REQUIRED = 'required-plugins.noderesource.dev';
/** Names end with a letter or a digit. A match begins only where no earlier one could, so that a list is read once. */
const NAMES = /(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]*[A-Za-z0-9]/g;

export interface Validated {
  readonly pod: PodSandbox;
  /** The container before any plugin's changes. */
  readonly container: Container;
  readonly adjust: ContainerAdjustment;
  readonly owners: Owners;
  /** The names of the plugins, without index. */
  readonly plugins: readonly string[];
}

/** Returns why an adjustment is refused; undefined if it isn't. */
export function refusal(config: ValidatorConfig, validated: Validated): string | undefined {
  const found =
    hooks(config, validated) ??
    seccomp(config, validated) ??
    namespaces(config, validated) ??
    missingPlugins(config, validated) ??
    sysctls(config, validated);
  return found === undefined ? undefined : `validation error: ${found}`;
}

function hooks(config: ValidatorConfig, { owners, container }: Validated): string | undefined {
  const owner = owners.owner(container.id, Field.OciHooks);
  if (!config.rejectOCIHookAdjustment || owner === undefined) return undefined;
  return `${owner.includes(',') ? 'plugins' : 'plugin'} "${owner}" attempted restricted OCI hook injection`;
}

function seccomp(config: ValidatorConfig, { owners, container }: Validated): string | undefined {
  const owner = owners.owner(container.id, Field.SeccompPolicy);
  if (owner === undefined) return undefined;
  const type = container.linux?.seccompProfile?.profileType ?? Seccomp.UNCONFINED;
  const kinds = {
    [Seccomp.UNCONFINED]: [config.rejectUnconfinedSeccompAdjustment, 'unconfined'],
    [Seccomp.RUNTIME_DEFAULT]: [config.rejectRuntimeDefaultSeccompAdjustment, 'runtime default'],
    [Seccomp.LOCALHOST]: [config.rejectCustomSeccompAdjustment, 'custom'],
    [Seccomp.UNRECOGNIZED]: [false, ''],
  } as const;
  const [isRefused, kind] = kinds[type];
  return isRefused ? `plugin ${owner} attempted restricted ${kind} seccomp policy adjustment` : undefined;
}

function namespaces(config: ValidatorConfig, { owners, container }: Validated): string | undefined {
  const claimed = Object.entries(owners.entryOwners(container.id, Field.Namespace));
  if (!config.rejectNamespaceAdjustment || claimed.length === 0) return undefined;
  const offenders = claimed.map(([type, plugin]) => `"${plugin}" (namespace "${type}")`);
  return `attempted restricted namespace adjustment by plugin(s) ${offenders.join(', ')}`;
}

function sysctls(config: ValidatorConfig, { owners, container }: Validated): string | undefined {
  const claimed = Object.values(owners.entryOwners(container.id, Field.Sysctl));
  if (!config.rejectSysctlAdjustment || claimed.length === 0) return undefined;
  return `attempted restricted sysctl adjustment by plugin(s) ${claimed.join(', ')}`;
}

function missingPlugins(config: ValidatorConfig, { pod, container, plugins }: Validated): string | undefined {
  const key = config.tolerateMissingPluginsAnnotation;
  const tolerates = key && annotationFor(pod, key, container.name);
  if (tolerates !== undefined && /^(1|t|T|true|True|TRUE)$/.test(tolerates)) return undefined;
  const annotated = annotationFor(pod, REQUIRED, container.name) ?? '';
  const required = [...(config.requiredPlugins ?? []), ...(annotated.match(NAMES) ?? [])];
  const missing = required.filter((name) => !plugins.includes(name));
  if (missing.length === 0) return undefined;
  return `required ${missing.length === 1 ? 'plugin' : 'plugins'} "${missing.join(',')}" not present`;
}

/** For the container, otherwise for the pod, otherwise without suffix (nri pkg/plugin, GetEffectiveAnnotation). */
const annotationFor = ({ annotations }: PodSandbox, key: string, container: string): string | undefined =>
  annotations[`${key}/container.${container}`] ?? annotations[`${key}/pod`] ?? annotations[key];
