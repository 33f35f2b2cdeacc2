import type { IncomingHttpHeaders } from 'node:http';
import { isOwnHost } from '../input/own-host.js';
import { Problem } from './problem.js';

/**
 * Refuses what a web page in somebody's browser may send to this machine: with `isLocal`, requests to another name than
 * this machine's (DNS rebinding: a page's own name may resolve to 127.0.0.1); always, requests from another origin (a
 * browser sends them though it doesn't show the page the answer). Throws Problem 403.
 */
export function refuseForeign({ host = '', origin }: IncomingHttpHeaders, isLocal: boolean): void {
  if (isLocal && !isOwnHost(host))
    throw new Problem(403, `the Host header must name this machine, as in localhost; given ${host}`);
  if (origin !== undefined && origin !== `http://${host}`)
    throw new Problem(403, `requests of web pages are refused; given the Origin header ${origin}`);
}
