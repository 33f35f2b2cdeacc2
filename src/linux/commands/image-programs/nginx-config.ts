import { Regex } from '../../../base/input/regex.js';
/** The simulated part of nginx's configuration: servers, files and fixed answers. */
export interface Site {
  readonly ports: readonly number[];
  readonly locations: readonly Location[];
  readonly fallback: Location;
}

export interface Location {
  readonly kind: '=' | '^~' | '~' | '~*' | 'prefix';
  readonly pattern: string;
  readonly root: string | undefined;
  readonly alias: string | undefined;
  readonly index: readonly string[];
  /** From `return`: an HTTP status and a text. */
  readonly answer: { readonly code: number; readonly text: string } | undefined;
}

export interface Config {
  readonly sites: readonly Site[];
  readonly ignored: readonly string[];
}

interface Directive {
  readonly name: string;
  readonly args: readonly string[];
  readonly block: readonly Directive[];
}

/** Forward requests to servers with unknown replies. */
const PASS = /^(proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass$/;

/** Blocks with servers. Those of TCP and of mail answer like HTTP servers: they accept connections. */
const WITH_SERVERS = /^(http|stream|mail)$/;

/** Parses `nginx.conf`; `include` returns the texts of the files that a pattern matches. Throws with nginx's texts. */
export async function readConfig(
  text: string,
  include: (pattern: string) => Promise<readonly string[]>,
): Promise<Config> {
  const ignored = new Set<string>();
  const expand = async (source: string): Promise<readonly Directive[]> =>
    resolve(parseBlock(tokens(source), false));
  const resolve = async (directives: readonly Directive[]): Promise<readonly Directive[]> => {
    const parts = directives.map(async (directive): Promise<readonly Directive[]> => {
      if (directive.name === 'rewrite') ignored.add('rewrite');
      if (PASS.test(directive.name)) ignored.add(`${directive.name} (answers 200)`);
      if (directive.name !== 'include') return [{ ...directive, block: await resolve(directive.block) }];
      const texts = await include(directive.args[0] ?? '');
      return (await Promise.all(texts.map(expand))).flat();
    });
    return (await Promise.all(parts)).flat();
  };
  const main = await expand(text);
  const all = main.filter(({ name }) => WITH_SERVERS.test(name)).flatMap(({ block }) => block);
  const servers = all.filter(({ name }) => name === 'server');
  return { sites: servers.map((server) => siteOf(server, locationOf(all))), ignored: [...ignored].sort() };
}

function siteOf({ block }: Directive, inherited: Location): Site {
  const listens = block.filter(({ name }) => name === 'listen');
  const ports = listens.map(({ args: [address = ''] }) => Number(/(?:^|:)(\d+)$/.exec(address)?.[1] ?? 80));
  const fallback = locationOf(block, inherited);
  const locations = block
    .filter(({ name }) => name === 'location')
    .map(({ args, block: inner }): Location => {
      const [first = '', second] = args;
      const own = locationOf(inner, { ...fallback, answer: undefined });
      if (second === undefined) return { ...own, kind: 'prefix', pattern: first };
      return { ...own, kind: first as Location['kind'], pattern: second };
    });
  return { ports: ports.length > 0 ? [...new Set(ports)] : [80], locations, fallback };
}

const WELL = { code: 200, text: '' };

const NOTHING: Location = {
  kind: 'prefix',
  pattern: '',
  root: undefined,
  alias: undefined,
  index: ['index.html'],
  answer: undefined,
};

function locationOf(block: readonly Directive[], inherited: Location = NOTHING): Location {
  const args = (name: string) => block.find((directive) => directive.name === name)?.args;
  const answer = args('return');
  const passes = block.some(({ name }) => PASS.test(name));
  return {
    ...NOTHING,
    root: args('root')?.[0] ?? inherited.root,
    alias: args('alias')?.[0],
    index: args('index') ?? inherited.index,
    answer: answer ? { code: Number(answer[0]), text: answer[1] ?? '' } : passes ? WELL : inherited.answer,
  };
}

/** Finds a path's location: exact, then the longest prefix, unless an expression matches (ngx_http_core). */
export function locate({ locations, fallback }: Site, path: string): Location {
  const exact = locations.find(({ kind, pattern }) => kind === '=' && pattern === path);
  if (exact) return exact;
  const [prefix] = locations
    .filter(({ kind, pattern }) => (kind === 'prefix' || kind === '^~') && path.startsWith(pattern))
    .sort((a, b) => b.pattern.length - a.pattern.length);
  const matching = locations.find(
    ({ kind, pattern }) =>
      kind.startsWith('~') && new Regex(pattern, { ignoreCase: kind === '~*' }).test(path),
  );
  return prefix?.kind === '^~' ? prefix : (matching ?? prefix ?? fallback);
}

function tokens(text: string): string[] {
  const found = text.matchAll(/#[^\n]*|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[{};]|[^\s{};"']+/g);
  return [...found]
    .filter(([whole]) => !whole.startsWith('#'))
    .map(([whole, double, single]) => {
      const quoted = double ?? single;
      // A quoted brace or semicolon is not syntax.
      return quoted === undefined ? whole : `\0${quoted.replace(/\\(.)/g, '$1').replace(/^n$/, '\n')}`;
    });
}

function parseBlock(queue: string[], isInner: boolean): readonly Directive[] {
  const directives: Directive[] = [];
  let words: string[] = [];
  for (let token = queue.shift(); token !== undefined; token = queue.shift()) {
    if (token === '}' && isInner && words.length === 0) return directives;
    if (token === '}') throw new Error('unexpected "}"');
    if (token !== ';' && token !== '{') words.push(token.replace(/^\0/, ''));
    else {
      const [name = '', ...args] = words;
      words = [];
      directives.push({ name, args, block: token === '{' ? parseBlock(queue, true) : [] });
    }
  }
  if (isInner || words.length > 0) throw new Error('unexpected end of file, expecting ";" or "}"');
  return directives;
}
