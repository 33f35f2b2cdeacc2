import type { IncomingHttpHeaders } from 'node:http';
import { isOwnHost } from '../../base/input/own-host.js';
import { Problem } from './problem.js';

/**
 * Refuses requests that a web page in somebody's browser may send here: requests to a name that is neither this
 * machine's nor one of `names` (DNS rebinding: a page's own name may resolve to this address), and requests from other
 * sites and origins (a browser sends them though it hides the answer from the page). Throws Problem 403.
 */
export function refuseForeign(headers: IncomingHttpHeaders, names: readonly string[]): void {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isOwnHost(host, names))
    throw new Problem(
      403,
      `the Host header must name this machine, as in localhost, or an address; given ${host}; --control-host NAME allows a name`,
    );
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`))
    throw new Problem(
      403,
      `requests of other web pages are refused; given ${origin === undefined ? `Sec-Fetch-Site: ${site}` : `the Origin header ${origin}`}`,
    );
}
