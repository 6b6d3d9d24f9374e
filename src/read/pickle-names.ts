/**
 * Names that stand in every PyTorch checkpoint and cannot matter to privacy accounting. They are read past,
 * not called: nothing depends on their being harmless, only on their being expected.
 */
const OPAQUE: Readonly<Record<string, RegExp>> = {
  torch:
    /^(\w+Storage|Size|device|dtype|Tensor|(u?int|float|complex|bfloat|qu?int)\d+(_\w+)?|bool|half|double|long|strided)$/,
  'torch._utils': /^_rebuild_\w+$/,
  'torch._tensor': /^_rebuild_from_type_v2$/,
  'torch.nn.parameter': /^(Parameter|UninitializedParameter|Buffer)$/,
  'torch.serialization': /^_get_layout$/,
  'torch.storage': /^(UntypedStorage|TypedStorage|_UntypedStorage|_TypedStorage)$/,
  'torch.torch_version': /^TorchVersion$/,
  'numpy.core.multiarray': /^(scalar|_reconstruct)$/,
  'numpy._core.multiarray': /^(scalar|_reconstruct)$/,
  numpy: /^(dtype|ndarray)$/,
  collections: /^(defaultdict|Counter)$/,
  _codecs: /^encode$/,
};

/** Also `__builtin__`'s types, which only name what a defaultdict makes. */
const TYPES = /^(dict|list|int|float|str|bool|tuple|complex)$/;

export function isOpaqueName(module: string, name: string): boolean {
  if (module === 'builtins' || module === '__builtin__') return TYPES.test(name);
  return Object.hasOwn(OPAQUE, module) && OPAQUE[module].test(name);
}
