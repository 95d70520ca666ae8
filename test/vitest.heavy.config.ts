import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** What takes long or much memory; one file at a time, so that none disturbs the other. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['test/heavy/**/*.test.ts'], testTimeout: 1_200_000, fileParallelism: false } }),
);
