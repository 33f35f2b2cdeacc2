import { z } from 'zod';
import { fillPage, loadPageIfBuilt } from '../../tape/viewer/document.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';

/** Read once, because a running server must not depend on its files. Undefined if the build has no page. */
let loaded: { readonly page: string | undefined } | undefined;

export function loadTimeline(): string | undefined {
  loaded ??= { page: loadPageIfBuilt() };
  return loaded.page;
}

/** Forbids frames: another page could place this one's buttons under the user's clicks. */
const HEADERS = { 'content-security-policy': "frame-ancestors 'none'", 'x-frame-options': 'DENY' } as const;

export const pageSchema = z.strictObject({
  node: z
    .string()
    .optional()
    .describe('with mockri node: name of the node, or a pattern; default all, as a list'),
});

export type NodePage = { readonly node: string } | { readonly list: string };

/** `GET /`: the live timeline of this server. With several nodes, `pageOf` chooses, and throws Problem. */
export const pageRoute = (pageOf?: (asked: string | undefined) => NodePage): Route => ({
  method: 'GET',
  path: '/',
  handle: ({ query }) => {
    // A server of one runtime ignores the query, since links to it may have one.
    const chosen = pageOf?.(query(pageSchema).node);
    const text = chosen && 'list' in chosen ? chosen.list : timelineOf(chosen?.node);
    return { type: 'text/html; charset=utf-8', text, headers: HEADERS };
  },
});

/** Throws Problem. */
function timelineOf(node: string | undefined): string {
  const page = loadTimeline();
  if (page === undefined)
    throw new Problem(404, 'this installation has no timeline page: it was built without a bundler');
  const about = { live: true, ...(node !== undefined && { node, title: node }) };
  return fillPage(page, { about, tapes: [] });
}
