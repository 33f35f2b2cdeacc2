import { InputError } from '../../../base/input/yaml.js';

/** The settings that only some backends read, with these; the first is the one that messages name. */
const READERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'remote-endpoint': ['remote'],
  tape: ['tape'],
  'on-miss': ['tape'],
  'docker-host': ['docker'],
  'docker-cert-path': ['docker'],
  'docker-sandbox-image': ['docker'],
  'docker-network': ['docker'],
  'real-network': ['memory', 'tape'],
  'pull-latency': ['memory', 'tape'],
  'unknown-images': ['memory', 'tape'],
  behaviors: ['memory', 'tape'],
  images: ['memory', 'tape'],
  'present-images': ['memory', 'tape'],
};

/**
 * Sentences about settings of other backends, which have no effect. `sources` names who gives each setting.
 * Variables and files may have them: they are for many starts. Throws InputError for options.
 */
export function otherBackends(backend: string, sources: ReadonlyMap<string, string>): readonly string[] {
  const others = Object.entries(READERS).flatMap(([setting, readers]) => {
    const source = readers.includes(backend) ? undefined : sources.get(setting);
    return source === undefined ? [] : { source, isOption: source === `--${setting}`, needed: readers[0] };
  });
  const sentence = ({ source, needed }: (typeof others)[number]) =>
    `${source} has no effect without --backend ${needed}`;
  const options = others.filter(({ isOption }) => isOption);
  if (options.length > 0) throw new InputError(options.map(sentence));
  return others.map(sentence);
}
