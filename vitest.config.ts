import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'adapters/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/peers/**', '**/node_modules/**', 'dist/**'],
    testTimeout: 30_000,
  },
});
