import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import { loadYaml } from '../../../base/input/yaml-document.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { runtimeProfileNames } from '../../../runtime/profiles/index.js';

const FACTORS = [0.5, 1, 2];

/** Default values to compare: the choices of a field, or half and twice its value. Undefined if there are none. */
export function ownValues(path: readonly string[], value: unknown): string[] | undefined {
  const name = path.join('.');
  if (name === 'latency') return ['none', 'profile'];
  if (name === 'runtime') return [...runtimeProfileNames];
  if (name === 'kubelet.version') return [...kubeletVersions];
  if (path.includes('featureGates') || typeof value === 'boolean') return ['false', 'true'];
  if (typeof value === 'number' && value > 0)
    return distinct(FACTORS.map((factor) => String(Math.max(1, Math.round(value * factor)))));
  const time = typeof value === 'string' ? parseDuration(value) : undefined;
  if (time === undefined || time <= 0) return undefined;
  return distinct(FACTORS.map((factor) => formatDuration(time * factor)));
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/** Parses a value as YAML, but keeps text where text was, or where a version would become a number. */
export function toValue(path: readonly string[], before: unknown, text: string): unknown {
  const isText = typeof before === 'string' || path.at(-1) === 'version' || path.includes('behaviors');
  return isText ? text : loadYaml().parse(text);
}
