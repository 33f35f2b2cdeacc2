import { unescapePercent } from '../../../base/input/unescape-percent.js';
import type { verbs } from '../file/schema.js';

export type Verb = (typeof verbs)[number] | 'watch' | 'other';

export interface ApiRequest {
  readonly verb: Verb;
  /** `pods`, `deployments.apps`, `pods/status`; for other requests, their path. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Whether a watch begins with a list (sendInitialEvents). */
  readonly lists?: boolean;
}

const byMethod: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

/** As the API server reads it (apiserver/pkg/endpoints/request/requestinfo.go). */
export function readRequest(method: string, target: string): ApiRequest {
  const [path = '', query = ''] = target.split('?');
  const parts = path.split('/').filter(Boolean).map(unescapePercent);
  const group = parts[0] === 'apis' ? `.${parts[1]}` : '';
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  if (!['api', 'apis'].includes(parts[0] ?? '') || rest.length === 0)
    return { verb: method === 'GET' ? 'get' : 'other', resource: path, namespace: '', name: '' };
  const isNamespaced =
    rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const [resource = '', name = '', part] = isNamespaced ? rest.slice(2) : rest;
  return {
    verb: verbOf(method, name, query),
    resource: `${resource}${group}${part === undefined ? '' : `/${part}`}`,
    namespace: isNamespaced ? (rest[1] ?? '') : '',
    name,
    lists: /(^|&)sendInitialEvents=(true|1)(&|$)/.test(query),
  };
}

function verbOf(method: string, name: string, query: string): Verb {
  if (method === 'DELETE') return name === '' ? 'deletecollection' : 'delete';
  if (method !== 'GET') return byMethod[method] ?? 'other';
  if (/(^|&)watch=(true|1)(&|$)/.test(query)) return 'watch';
  return name === '' ? 'list' : 'get';
}

/** `pods/web`, or `pods/kube-system/web` outside of the default namespace. */
export const objectText = ({ resource, namespace, name }: Omit<ApiRequest, 'verb'>): string =>
  [resource, namespace === 'default' ? '' : namespace, name].filter((part) => part !== '').join('/');

/** Created again and again, or too large to compare. */
const PASSING =
  /^(events|leases|endpointslices|endpoints|\w*reviews|serviceaccounts\/token|customresourcedefinitions|clustertrustbundles)\b/;

export const isPassing = (resource: string): boolean => PASSING.test(resource);

export const isWrite = (verb: Verb): boolean => !['get', 'list', 'watch', 'other'].includes(verb);

/** Whether a resource that a user names, with its group or without, is this one. */
export function isResource(named: string, { resource }: Pick<ApiRequest, 'resource'>): boolean {
  const [plural = '', part] = resource.split('/');
  const [wanted = '', wantedPart] = named.split('/');
  return part === wantedPart && (plural === wanted || plural.split('.')[0] === wanted);
}
