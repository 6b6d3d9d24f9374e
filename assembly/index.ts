/** The whole ABI of the kernel: every function a binding may call. */
export * from './elementwise';
export { tablesPointer } from './tables';
