import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { jitter, type Random } from '../../base/random/random.js';
import type { ApiClient } from './api-client.js';
import { ApiError, isExpired } from './api-error.js';

export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

export interface WatchOptions<T extends ApiObject> {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** All current objects: those not among them are gone. */
  readonly listed: (objects: readonly T[]) => void;
  readonly changed: (object: T) => void;
  readonly removed: (object: T) => void;
  readonly connected?: (isConnected: boolean) => void;
  readonly log: (message: string) => void;
}

/** Maximum number of objects in a list, in case it continues without end. */
const MOST_OBJECTS = 500_000;
/** Maximum size of a list, in characters of JSON. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Objects per page of a list (client-go tools/pager). */
const PAGE = '500';
/** The server ends a watch after this time in s; jitter spreads the ends (reflector.go). */
const LEAST_WATCH = 300;
/**
 * In ms: a connection without a byte for this time is lost, because the server sends a bookmark about every minute.
 * HTTP/2 detects this with pings, HTTP/1.1 has none.
 */
const SILENCE = 150_000;
/** In ms after a failure; doubles up to the last. After a working watch it restarts at the first (reflector.go). */
const FIRST_PAUSE = 800;
const LAST_PAUSE = 30_000;

/**
 * Follows the objects of one path until the signal aborts (client-go tools/cache/reflector.go): lists, watches from
 * there, continues after a lost connection, and lists again if its version is too old.
 */
export async function watchObjects<T extends ApiObject>(options: WatchOptions<T>): Promise<void> {
  const { clock, random, signal, log, path, connected } = options;
  let version: string | undefined;
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      version ??= await list(options);
      const begun = clock.elapsed();
      for await (const seen of follow(options, version)) version = seen;
      // A server that ends watches immediately must not be asked without pause.
      if (clock.elapsed() - begun > FIRST_PAUSE) {
        pause = FIRST_PAUSE;
        continue;
      }
    } catch (error) {
      if (signal.aborted) return;
      connected?.(false);
      if (isExpired(error)) {
        version = undefined;
        log(`watch of ${path}: too old; listing again`);
      } else log(`watch of ${path}: ${messageOf(error)}`);
    }
    await clock.sleep(jitter(random, pause, 1), signal).catch(() => {});
    pause = Math.min(LAST_PAUSE, pause * 2);
  }
}

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[] | null;
}

async function list<T extends ApiObject>(options: WatchOptions<T>): Promise<string> {
  const { api, path, query, listed } = options;
  const objects: T[] = [];
  let token = '';
  let size = 0;
  const answered = (bytes: number) => {
    size += bytes;
  };
  for (;;) {
    const page = (await api.request({
      method: 'GET',
      path,
      priority: 'first',
      answered,
      query: { ...query, limit: PAGE, ...(token === '' ? {} : { continue: token }) },
    })) as Page<T>;
    for (const object of page.items ?? []) objects.push(object);
    if (objects.length > MOST_OBJECTS) throw new Error(`the list has more than ${MOST_OBJECTS} objects`);
    if (size > MOST_BYTES) throw new Error(`the list has more than ${MOST_BYTES} bytes`);
    token = page.metadata.continue ?? '';
    if (token !== '' && !page.items?.length) throw new Error('a page of the list that continues is empty');
    if (token !== '') continue;
    listed(objects);
    return page.metadata.resourceVersion;
  }
}

type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** Yields the version after each event. */
async function* follow<T extends ApiObject>(
  { api, clock, path, query, random, signal, changed, removed, connected }: WatchOptions<T>,
  version: string,
): AsyncGenerator<string> {
  const asked = {
    ...query,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: version,
    timeoutSeconds: String(Math.round(jitter(random, LEAST_WATCH, 1))),
  };
  const silent = new AbortController();
  const both = AbortSignal.any([signal, silent.signal]);
  const expectMore = () => clock.setTimer(SILENCE, () => silent.abort(new Error('the server is silent')));
  let silence = expectMore();
  try {
    const events = (await api.lines(path, asked, both)) as AsyncIterable<WatchEvent<T>>;
    connected?.(true);
    for await (const event of events) {
      silence.cancel();
      silence = expectMore();
      if (event.type === 'ERROR') {
        const { code = 500, message = 'the watch failed' } = event.object;
        throw new ApiError(code, '', message);
      }
      if (event.type === 'DELETED') removed(event.object);
      else if (event.type !== 'BOOKMARK') changed(event.object);
      yield event.object.metadata.resourceVersion;
    }
  } finally {
    silence.cancel();
  }
}
