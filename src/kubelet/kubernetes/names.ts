import { z } from 'zod';

export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'expected a DNS label: lower-case letters, digits and "-"')
  .max(63);

/** RFC 1123 subdomain (apimachinery IsDNS1123Subdomain): pods, nodes, service accounts. */
export const dnsSubdomain = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    'expected a DNS name: lower-case letters, digits, "-" and "."',
  );

/** Label key or value prefix rules: apimachinery IsQualifiedName. */
export const qualifiedName = z
  .string()
  .max(317)
  .regex(
    /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
    'expected a name such as example.com/tier: letters, digits, "-", "_" and "."',
  );

export const labelValue = z
  .string()
  .regex(
    /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
    'expected at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
  );

export const uid = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9][-A-Za-z0-9._]*$/, 'expected letters, digits, "-", "." and "_"');

/** Name of an API object as references use it (apimachinery IsValidPathSegmentName). */
export const objectName = z
  .string()
  .min(1)
  .refine(
    (name) => !/^\.{1,2}$|[/%]/.test(name),
    'expected a name other than "." and "..", without "/" and "%"',
  );

/** Key of a ConfigMap or Secret (apimachinery IsConfigMapKey). */
export const dataKey = z
  .string()
  .max(253)
  .regex(
    /^(?!\.\.)(?!\.$)[-._a-zA-Z0-9]+$/,
    'expected letters, digits, "-", "_" and ".", not ".." at the start',
  );

/** Path in a volume (core/validation validateLocalDescendingPath). */
export const pathInVolume = z
  .string()
  .refine(
    (path) => !path.startsWith('/') && !path.split('/').includes('..'),
    'expected a relative path without ".."',
  );
