/** The release that removed an API, and its replacement (API deprecation guide); all before the oldest kubelet here. */
const REMOVED: Readonly<Record<string, readonly [since: string, use: string]>> = {
  'extensions/v1beta1': ['1.16', 'apps/v1'],
  'extensions/v1beta1 Ingress': ['1.22', 'networking.k8s.io/v1'],
  'extensions/v1beta1 NetworkPolicy': ['1.16', 'networking.k8s.io/v1'],
  'apps/v1beta1': ['1.16', 'apps/v1'],
  'apps/v1beta2': ['1.16', 'apps/v1'],
  'batch/v2alpha1': ['1.21', 'batch/v1'],
  'batch/v1beta1': ['1.25', 'batch/v1'],
  'policy/v1beta1': ['1.25', 'policy/v1'],
  'policy/v1beta1 PodSecurityPolicy': ['1.25', 'Pod Security admission'],
  'extensions/v1beta1 PodSecurityPolicy': ['1.16', 'Pod Security admission'],
  'autoscaling/v2beta1': ['1.25', 'autoscaling/v2'],
  'autoscaling/v2beta2': ['1.26', 'autoscaling/v2'],
  'networking.k8s.io/v1beta1 Ingress': ['1.22', 'networking.k8s.io/v1'],
  'networking.k8s.io/v1beta1 IngressClass': ['1.22', 'networking.k8s.io/v1'],
  'rbac.authorization.k8s.io/v1alpha1': ['1.22', 'rbac.authorization.k8s.io/v1'],
  'rbac.authorization.k8s.io/v1beta1': ['1.22', 'rbac.authorization.k8s.io/v1'],
  'apiextensions.k8s.io/v1beta1': ['1.22', 'apiextensions.k8s.io/v1'],
  'apiregistration.k8s.io/v1beta1': ['1.22', 'apiregistration.k8s.io/v1'],
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration': [
    '1.22',
    'admissionregistration.k8s.io/v1',
  ],
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration': [
    '1.22',
    'admissionregistration.k8s.io/v1',
  ],
  'scheduling.k8s.io/v1beta1': ['1.22', 'scheduling.k8s.io/v1'],
  'coordination.k8s.io/v1beta1 Lease': ['1.22', 'coordination.k8s.io/v1'],
  'storage.k8s.io/v1beta1 StorageClass': ['1.22', 'storage.k8s.io/v1'],
  'storage.k8s.io/v1beta1 CSIDriver': ['1.22', 'storage.k8s.io/v1'],
  'storage.k8s.io/v1beta1 CSIStorageCapacity': ['1.27', 'storage.k8s.io/v1'],
  'node.k8s.io/v1beta1': ['1.25', 'node.k8s.io/v1'],
  'discovery.k8s.io/v1beta1': ['1.25', 'discovery.k8s.io/v1'],
  'events.k8s.io/v1beta1': ['1.25', 'events.k8s.io/v1'],
};

/** Note about an API that no simulated version has; undefined for others. */
export function removedApi(apiVersion: unknown, kind: string): string | undefined {
  const api = String(apiVersion);
  const [since, use] = REMOVED[`${api} ${kind}`] ?? REMOVED[api] ?? [];
  return since && `${api} ${kind} was removed in Kubernetes ${since}, so kubectl refuses it; use ${use}`;
}
