/** The smallest manifest of a pod, on one line. */
export const minimal = (name = 'web', image = 'nginx:1') =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: app, image: "${image}"}]}}`;
