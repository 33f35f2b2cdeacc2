import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Problem } from './problem.js';

/**
 * Refuses what a web page in somebody's browser may send to this machine: with `isLocal`, requests to another name than
 * this machine's (DNS rebinding: a page's own name may resolve to 127.0.0.1); always, requests from another origin (a
 * browser sends them though it doesn't show the page the answer). Throws Problem 403.
 */
export function refuseForeign({ host = '', origin }: IncomingHttpHeaders, isLocal: boolean): void {
  if (isLocal && !isLoopback(hostOf(host)))
    throw new Problem(403, `the Host header must name this machine, as in localhost; given ${host}`);
  if (origin !== undefined && origin !== `http://${host}`)
    throw new Problem(403, `requests of web pages are refused; given the Origin header ${origin}`);
}

/** Whether a host is this machine, and nobody else can reach it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** The name in a Host header, without its port. */
const hostOf = (header: string): string => header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
