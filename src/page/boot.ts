import { unpacked } from './lzma.js';

// the example's claim stands in the page: the frame that shows it comes first
if (document.querySelector('h1') === null) boot();
else requestAnimationFrame(() => setTimeout(boot));

/** Runs the script that stands packed in the page, at the address from which the page's workers run it too. */
function boot(): void {
  const digits = atob((document.getElementById('packed') as HTMLElement).textContent);
  const bytes = new Uint8Array(digits.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = digits.charCodeAt(i);
  const all = unpacked(bytes);
  // the kernel comes first: its length, its bytes
  const end = 4 + new DataView(all.buffer).getUint32(0, true);
  let hex = '';
  for (let i = 4; i < end; i++) hex += (256 + all[i]).toString(16).slice(1);
  const script = document.createElement('script');
  const text = [`const kernelHex='${hex}';`, all.subarray(end)];
  script.src = URL.createObjectURL(new Blob(text, { type: 'text/javascript' }));
  document.head.append(script);
}
