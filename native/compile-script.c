/* compile-script SCRIPT OUT: a script as QuickJS' bytecode in an array of C. The same QuickJS reads it. */
#include "quickjs.h"

#include <stdio.h>
#include <stdlib.h>

static char *text_of(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
  long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length + 1);
  *size = text == NULL ? 0 : fread(text, 1, (size_t)length, file);
  fclose(file);
  if (text == NULL || *size != (size_t)length) return NULL;
  text[length] = '\0';
  return text;
}

int main(int argc, char **argv) {
  size_t size, length;
  char *script = argc == 3 ? text_of(argv[1], &size) : NULL;
  FILE *out = script == NULL ? NULL : fopen(argv[2], "w");
  if (out == NULL) return 2;
  JSRuntime *rt = JS_NewRuntime();
  JSContext *ctx = JS_NewContext(rt);
  JS_SetMaxStackSize(rt, 0);
  JSValue compiled = JS_Eval(ctx, script, size, "gdp", JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(compiled)) {
    fprintf(stderr, "%s\n", JS_ToCString(ctx, JS_GetException(ctx)));
    return 1;
  }
  uint8_t *bytes = JS_WriteObject(ctx, &length, compiled, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE | JS_WRITE_OBJ_STRIP_DEBUG);
  if (bytes == NULL) return 1;
  fprintf(out, "#include <stdint.h>\nconst uint32_t gdp_bytecode_size = %zu;\n_Alignas(16) const uint8_t gdp_bytecode[] = {", length);
  for (size_t i = 0; i < length; i++) fprintf(out, i % 32 == 0 ? "\n%d," : "%d,", bytes[i]);
  fprintf(out, "\n};\n");
  return fclose(out) == 0 ? 0 : 1;
}
