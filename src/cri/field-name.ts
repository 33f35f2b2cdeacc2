/** `pod_sandbox_id` of api.proto is `podSandboxId` in generated code. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
