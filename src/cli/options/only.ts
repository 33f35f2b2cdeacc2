import { InputError } from '../../base/input/yaml.js';

/** Throws InputError if `--only` excludes all kinds that another option selects from: there would be no output. */
export function checkOnly<Kind extends string>(
  only: readonly Kind[] | undefined,
  flags: Readonly<Record<string, unknown>>,
  kindsOf: Readonly<Record<string, readonly Kind[]>>,
): void {
  for (const [name, kinds] of Object.entries(kindsOf))
    if (only !== undefined && flags[name] !== undefined && !only.some((kind) => kinds.includes(kind)))
      throw new InputError([
        `--only ${only.join(' ')} and --${name} choose nothing together; --${name} chooses from: ${kinds.join(', ')}`,
      ]);
}
