// The functions of the kernel for QuickJS: C made of the declarations that wasm2c writes, one function for each export of the module.

const NUMBERS = { u32: ['uint32_t', 'ToUint32'], f64: ['double', 'ToFloat64'] };
const RESULTS = { u32: 'JS_NewInt32(ctx, (int32_t)result)', f64: 'JS_NewFloat64(ctx, result)' };

/**
 * @param {string} header kernel.h of wasm2c.
 * @throws Error for an export that this cannot call.
 */
export function glueOf(header) {
  const functions = [...header.matchAll(/^(\w+) w2c_kernel_(\w+)\(w2c_kernel\*((?:, \w+)*)\);$/gm)].map(
    ([, result, name, parameters]) => ({ result, name, parameters: parameters.split(', ').slice(1) }),
  );
  const exported = header.match(/^\/\* export: /gm).length;
  if (functions.length + 1 !== exported)
    throw new Error(`${exported} exports, of which ${functions.length} are functions and 1 is the memory`);
  // no host can pass a vector: such a function is for the kernel itself
  const callable = functions.filter(({ result, parameters }) => ![result, ...parameters].includes('v128'));
  const lines = callable.map(
    ({ name, parameters }) =>
      `  JS_SetPropertyStr(ctx, exports, "${name}", JS_NewCFunctionData(ctx, call_${name}, ${parameters.length}, 0, 1, &carried));`,
  );
  return `/* Made by scripts/lib/native-glue.mjs of kernel.h. */
#include "kernel-object.h"

${callable.map(callOf).join('\n')}
void kernel_functions(JSContext *ctx, JSValueConst exports, JSValueConst carried) {
${lines.join('\n')}
}
`;
}

function callOf({ name, parameters, result }) {
  const read = parameters.map((type, i) => {
    const [c, conversion] = NUMBERS[type];
    return `  ${c} a${i};\n  if (JS_${conversion}(ctx, &a${i}, argv[${i}])) return JS_EXCEPTION;\n`;
  });
  const given = ['&kernel_of(data[0])->kernel', ...parameters.map((_, i) => `a${i}`)].join(', ');
  const call = `w2c_kernel_${name}(${given})`;
  const held = result === 'void' ? '' : `  ${result === 'f64' ? 'double' : 'uint32_t'} result;\n`;
  return `static JSValue call_${name}(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int magic, JSValueConst *data) {
${held}${read.join('')}  KERNEL_CALL(ctx, ${result === 'void' ? call : `result = ${call}`});
  return ${result === 'void' ? 'JS_UNDEFINED' : RESULTS[result]};
}
`;
}
