import { unpacked } from './lzma.js';

// the example's claim stands in the page: the frame that shows it comes first
if (document.querySelector('h1') === null) boot();
else requestAnimationFrame(() => setTimeout(boot));

/** Runs the script that stands packed in the page, at the address from which the page's workers run it too. */
function boot(): void {
  const text = atob((document.getElementById('packed') as HTMLElement).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const script = document.createElement('script');
  script.src = URL.createObjectURL(new Blob([unpacked(bytes)], { type: 'text/javascript' }));
  document.head.append(script);
}
