import { InputError } from '../../../input/yaml.js';

/** The settings that only some backends read, with these; the first is the one that messages name. */
const READERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'remote-endpoint': ['remote'],
  tape: ['tape'],
  'on-miss': ['tape'],
  'docker-host': ['docker'],
  'docker-cert-path': ['docker'],
  'docker-sandbox-image': ['docker'],
  'docker-network': ['docker'],
  'pull-latency': ['memory', 'tape'],
  behaviors: ['memory', 'tape'],
  images: ['memory', 'tape'],
  'present-images': ['memory', 'tape'],
};

/**
 * What the settings of other backends are told: that they have no effect. `sources` names who gives each setting.
 * Variables and files may have them: they are for many starts. Throws InputError for options.
 */
export function otherBackends(backend: string, sources: ReadonlyMap<string, string>): readonly string[] {
  const messages = Object.entries(READERS).flatMap(([setting, readers]) => {
    const source = readers.includes(backend) ? undefined : sources.get(setting);
    return source === undefined ? [] : `${source} has no effect without --backend ${readers[0]}`;
  });
  const ofOptions = messages.filter((message) => message.startsWith('--'));
  if (ofOptions.length > 0) throw new InputError(ofOptions);
  return messages;
}
