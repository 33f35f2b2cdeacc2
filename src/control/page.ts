import { fillPage, loadPageIfBuilt } from '../viewer/document.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';

/** The page, which is read once: a running server must not need its files. Undefined where the build made none. */
let loaded: { readonly page: string | undefined } | undefined;

/** Reads the page before it is asked for. */
export function loadTimeline(): string | undefined {
  loaded ??= { page: readPage() };
  return loaded.page;
}

function readPage(): string | undefined {
  const page = loadPageIfBuilt();
  return page && fillPage(page, { about: { live: true }, tapes: [] });
}

/** No other page may show this one in a frame, where its buttons could be clicked without being seen. */
const HEADERS = { 'content-security-policy': "frame-ancestors 'none'", 'x-frame-options': 'DENY' } as const;

/** `GET /`: the timeline of this server, live. */
export const pageRoute: Route = {
  method: 'GET',
  path: '/',
  handle: () => {
    const page = loadTimeline();
    if (page === undefined)
      throw new Problem(404, 'this installation has no timeline page: it was built without a bundler');
    return { type: 'text/html; charset=utf-8', text: page, headers: HEADERS };
  },
};
