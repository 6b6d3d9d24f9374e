// the page already shows the example's claim, so that frame is painted before the script runs
if (document.querySelector('h1') === null) boot();
else requestAnimationFrame(() => setTimeout(boot));

/** Unpacks the script in the page and runs it, at an address from which the page's workers can run it too. */
async function boot(): Promise<void> {
  const digits = atob((document.getElementById('packed') as HTMLElement).textContent);
  const packed = new Blob([Uint8Array.from(digits, (digit) => digit.charCodeAt(0))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  // the file holds the length of the kernel in four bytes, the kernel, and then the script
  const end = 4 + new DataView(all.buffer).getUint32(0, true);
  const hex = Array.from(all.subarray(4, end), (byte) => (256 + byte).toString(16).slice(1)).join('');
  const script = document.createElement('script');
  const text = [`const kernelHex='${hex}';`, all.subarray(end)];
  script.src = URL.createObjectURL(new Blob(text, { type: 'text/javascript' }));
  document.head.append(script);
}
