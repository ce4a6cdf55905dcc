/** Builds the page into the Python package, where `/spec/` lies beside it; nothing of it is copied. */

import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const spec = fileURLToPath(new URL('../godseed/spec/', import.meta.url));
const built = fileURLToPath(new URL('../godseed/web_client/', import.meta.url));

/** Serves the specification to the development page, as every server of the built one does. */
const serveSpec = {
  name: 'serve-spec',
  configureServer(server) {
    server.middlewares.use('/spec', (request, response, next) => {
      const file = spec + decodeURIComponent(request.url.split('?')[0]).slice(1);
      if (file.includes('..') || !existsSync(file) || !statSync(file).isFile()) return next();
      return createReadStream(file).pipe(response);
    });
  },
};

const licences = ['cormorant-garamond', 'ibm-plex-mono'].map((face) =>
  fileURLToPath(new URL(`./node_modules/@fontsource/${face}/LICENSE`, import.meta.url)),
);

/** What is built is never committed, and carries the licence of its fonts. */
const finishBuilt = {
  name: 'finish-built',
  closeBundle() {
    writeFileSync(`${built}.gitignore`, '*\n');
    const texts = licences.map((path) => readFileSync(path, 'utf8'));
    writeFileSync(`${built}assets/fonts-LICENSE.txt`, texts.join('\n\n'));
  },
};

/** What the built pages may load: their own files and pictures that they draw. No inline script. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** Static hosts send no such header, so the pages say it themselves. */
const sayPolicy = {
  name: 'say-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

const page = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url));

export default defineConfig({
  base: './',
  plugins: [serveSpec, sayPolicy, finishBuilt],
  build: {
    outDir: built,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
    rollupOptions: { input: { index: page('index.html'), book: page('book.html') } },
  },
});
