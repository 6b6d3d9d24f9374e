// WebAssembly for the bindings, over the instances that kernel-object.c makes: `instance` makes one, `fingerprint` is what the module's section says.
((instance, fingerprint) => {
  function Module() {}
  Module.customSections = () => [Uint8Array.from(fingerprint, (letter) => letter.charCodeAt(0)).buffer];
  function Instance() {
    const { memoryBuffer, memoryGrow, ...exports } = instance();
    exports.memory = {
      get buffer() {
        return memoryBuffer();
      },
      grow: memoryGrow,
    };
    this.exports = exports;
  }
  delete globalThis.kernelInstance;
  globalThis.WebAssembly = { Module, Instance };
})(globalThis.kernelInstance, FINGERPRINT);
