import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { readTextFile } from '../../base/input/text-file.js';
import { enumerated, thereAre } from '../../base/input/wording.js';
import { InputError, parseYaml } from '../../base/input/yaml.js';
import { type Credentials, fixedCredentials, tokenFile } from './credentials.js';
import { execCredentials } from './exec-credentials.js';

export interface Connection {
  readonly server: URL;
  /** CA certificates for the server's, in PEM. Default: Node's. */
  readonly ca?: string | undefined;
  /** Does not verify the server's certificate. */
  readonly insecure: boolean;
  /** Name in the server's certificate, if it differs from the host. */
  readonly serverName?: string | undefined;
  readonly credentials: Credentials;
  /** Connects to an http server. Default: over the machine's network. */
  readonly dial?: (() => Duplex) | undefined;
}

const named = <K extends string, S extends z.ZodType>(key: K, schema: S) =>
  z
    .array(z.looseObject({ name: z.string(), [key]: schema } as { name: z.ZodString } & Record<K, S>))
    .nullish()
    .transform((list) => list ?? []);

const cluster = z.looseObject({
  server: z.url({ protocol: /^https?$/, error: 'expected a URL such as https://10.0.0.1:6443' }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().default(false),
  'tls-server-name': z.string().optional(),
});

const user = z.looseObject({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  'auth-provider': z
    .never({ error: 'auth-provider was removed from Kubernetes in 1.26: use exec' })
    .optional(),
  exec: z
    .looseObject({
      apiVersion: z.string(),
      command: z.string(),
      args: z.array(z.string()).nullish(),
      env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
    })
    .optional(),
});

const schema = z.looseObject({
  kind: z.literal('Config').optional(),
  'current-context': z.string().optional(),
  contexts: named('context', z.looseObject({ cluster: z.string(), user: z.string() })),
  clusters: named('cluster', cluster),
  users: named('user', user.nullish()),
});

/**
 * kubeconfig files that kubectl would use: existing files of `KUBECONFIG`, otherwise `~/.kube/config`; none if neither
 * exists. Throws InputError for a `KUBECONFIG` without any file.
 */
export function usualKubeconfig(
  { KUBECONFIG: listed = '' }: NodeJS.ProcessEnv,
  home: string,
): readonly string[] {
  const files = listed.split(delimiter).filter((file) => file !== '');
  const there = files.filter((file) => existsSync(file));
  if (files.length > 0 && there.length === 0)
    throw new InputError([`KUBECONFIG: there is no file ${enumerated(files)}`]);
  const usual = join(home, '.kube', 'config');
  return files.length > 0 ? there : existsSync(usual) ? [usual] : [];
}

/**
 * Reads one context of kubeconfig files; `context` overrides their current one. The first of several entries with one
 * name counts, as for kubectl. Throws InputError.
 */
export function readKubeconfig(
  files: readonly string[],
  context: string | undefined,
  clock: Clock,
): Connection {
  const all = files.join(delimiter);
  const configs = files.map((file) => ({
    file,
    config: parseYaml(readTextFile(file, '--kubeconfig'), schema, file),
  }));
  const name = context ?? configs.map(({ config }) => config['current-context']).find(Boolean) ?? '';
  if (name === '') throw new InputError([`${all}: it has no current-context; give --context`]);
  const find = <T extends { readonly name: string }>(
    what: string,
    listOf: (config: z.output<typeof schema>) => readonly T[],
    wanted: string,
  ): T & { readonly file: string } => {
    const list = configs.flatMap(({ file, config }) => listOf(config).map((each) => ({ ...each, file })));
    const found = list.find((each) => each.name === wanted);
    if (found !== undefined) return found;
    const known = thereAre(list.map((each) => each.name));
    const option = what === 'context' && context !== undefined ? '--context: ' : '';
    throw new InputError([`${all}: ${option}no ${what} is called ${JSON.stringify(wanted)}; ${known}`]);
  };
  const chosen = find('context', ({ contexts }) => contexts, name).context;
  const { cluster: target, file: clusterFile } = find('cluster', ({ clusters }) => clusters, chosen.cluster);
  const { user: given, file: userFile } = find('user', ({ users }) => users, chosen.user);
  return {
    server: new URL(target.server),
    ca: contentOf(clusterFile, target['certificate-authority'], target['certificate-authority-data']),
    insecure: target['insecure-skip-tls-verify'],
    serverName: target['tls-server-name'],
    credentials: credentialsOf(given ?? {}, userFile, clock),
  };
}

/** Contents of a field, or of the file it names; paths are relative to their file. */
function contentOf(file: string, path: string | undefined, data: string | undefined): string | undefined {
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  return path === undefined ? undefined : readTextFile(resolve(dirname(file), path), file);
}

type User = Partial<z.output<typeof user>>;

function credentialsOf(given: User, file: string, clock: Clock): Credentials {
  const cert = contentOf(file, given['client-certificate'], given['client-certificate-data']);
  const key = contentOf(file, given['client-key'], given['client-key-data']);
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const { exec, token, username, password = '' } = given;
  if (exec !== undefined)
    return execCredentials({ ...exec, args: exec.args ?? [], env: exec.env ?? [] }, clock);
  if (given.tokenFile !== undefined)
    return tokenFile(resolve(dirname(file), given.tokenFile), clock, { certificate });
  if (token !== undefined) return fixedCredentials({ authorization: `Bearer ${token}`, certificate });
  if (username === undefined) return fixedCredentials({ certificate });
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return fixedCredentials({ authorization: `Basic ${basic}`, certificate });
}
