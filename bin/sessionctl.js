#!/usr/bin/env node
import module from 'node:module';

module.enableCompileCache?.();
const { launch } = await import('../dist/main.js');
await launch();
