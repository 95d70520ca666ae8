interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** What a compiled module, as base64, exports. Undefined where the machine has no WebAssembly, or not its SIMD. */
export function instantiate<Found>(compiled: string): Found | undefined {
  const api = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly;
  if (!api) return undefined;
  try {
    const module = new api.Module(Buffer.from(compiled, 'base64'));
    return new api.Instance(module).exports as Found;
  } catch {
    return undefined;
  }
}
