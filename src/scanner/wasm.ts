interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** What a compiled module has; undefined without WebAssembly and its SIMD. */
export function startModule<T>(compiled: string): T | undefined {
  const api = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly;
  if (!api) return undefined;
  try {
    return new api.Instance(new api.Module(Buffer.from(compiled, 'base64'))).exports as T;
  } catch {
    return undefined;
  }
}
