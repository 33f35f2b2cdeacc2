import { z } from 'zod';
import type { ApiClient } from '../api/api-client.js';
import type { Reviews } from './access.js';

const tokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    user: z
      .object({
        username: z.string(),
        uid: z.string().optional(),
        groups: z.array(z.string()).default([]),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional(),
  }),
});
const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

/** Has the API server say who a token belongs to, and what a user may do. `reviewer` gives who asks. */
export function reviewsBy(reviewer: () => Promise<ApiClient>): Reviews {
  const ask = async (group: string, kind: string, spec: object) =>
    (await reviewer()).request({
      method: 'POST',
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      body: () => ({ apiVersion: `${group}/v1`, kind, spec }),
    });
  return {
    authenticate: async (token) => {
      const { status } = tokenReview.parse(await ask('authentication.k8s.io', 'TokenReview', { token }));
      return status.authenticated === true ? status.user : undefined;
    },
    authorize: async ({ username, ...user }, { verb, node, subresource }) => {
      const resourceAttributes = { verb, version: 'v1', resource: 'nodes', subresource, name: node };
      const spec = { ...user, user: username, resourceAttributes };
      return accessReview.parse(await ask('authorization.k8s.io', 'SubjectAccessReview', spec)).status
        .allowed;
    },
  };
}
