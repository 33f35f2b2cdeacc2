import { type AskedGates, gatesOf } from '../config/feature-gates.js';
import {
  checkRestartPeriod,
  type KubeletConfig,
  type LoadedKubeletConfig,
  parseKubeletConfig,
} from '../config/kubelet-configuration.js';
import { kubeletVersion, type VersionOptions } from '../config/version.js';
import { DEFAULT_KUBELET_VERSION } from '../config/versions.js';
import { type Fields, fieldsFor, once } from '../kubernetes/fields.js';
import type { KubeletVersion } from '../types/version.js';

/** Unset fields have the kubelet's defaults. */
export interface KubeletRequest {
  /** For example `1.36`. */
  readonly version?: string | undefined;
  readonly config?: ConfigSource | undefined;
  /** Override the configuration's gates. */
  readonly gates?: Readonly<Record<string, boolean>> | undefined;
  /** Where the gates are set, for messages. Default `--feature-gates`. */
  readonly gatesSource?: string;
  /** Overrides the version's design of the evented PLEG. */
  readonly evented?: VersionOptions['evented'];
  /** Whether a program runs as the kubelet, which may have gates and fields that are unknown here. */
  readonly ownKubelet?: boolean | undefined;
}

/** A KubeletConfiguration: the text of a file (YAML or JSON), or its fields without `apiVersion` and `kind`. */
export type ConfigSource =
  | { readonly text: string; readonly file: string }
  | { readonly fields: Readonly<Record<string, unknown>>; readonly file: string };

export interface KubeletSettings {
  readonly version: KubeletVersion;
  readonly config: KubeletConfig;
  /** Only the requested gates; `version` has all. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Fields of the configuration that Kubernetes knows and that have no effect here. */
  readonly ignored: readonly string[];
}

/**
 * The only way to create the settings of a kubelet. Throws InputError for what the kubelet would refuse: an unknown
 * version, field or gate, or a field whose gate is off.
 */
export function kubeletSettings(request: KubeletRequest = {}): KubeletSettings {
  const { version: name = DEFAULT_KUBELET_VERSION, gates = {}, evented, ownKubelet } = request;
  const source = request.config ?? DEFAULTS;
  const { config, ignored } = readConfig(source, fieldsFor(request));
  const asked: AskedGates[] = [
    { gates: config.featureGates, source: `${source.file}: featureGates` },
    { gates, source: request.gatesSource ?? '--feature-gates' },
  ];
  const version = kubeletVersion(name, { asked, evented, ownGates: ownKubelet });
  checkRestartPeriod(config, version.gates.KubeletCrashLoopBackOffMax, source.file);
  return { version, config, ignored, gates: gatesOf(asked) };
}

const DEFAULTS: ConfigSource = { fields: {}, file: 'defaults' };

/** Parsed fields: thousands of runs may share them. One is valid only for the same kind of fields. */
const knownBy = once(() => new WeakMap<object, LoadedKubeletConfig>());

function readConfig(source: ConfigSource, unknown: Fields): LoadedKubeletConfig {
  if ('text' in source) return parseKubeletConfig(source.text, source.file, unknown);
  const { fields, file } = source;
  const known = knownBy(unknown);
  const header = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const read =
    known.get(fields) ?? parseKubeletConfig(JSON.stringify({ ...header, ...fields }), file, unknown);
  known.set(fields, read);
  return read;
}
