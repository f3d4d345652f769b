import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { writeLicences } from './licences.mjs'
import { at } from './runtime.mjs'

/** Bundles the server and the terminal commands with lazily loaded chunks, the migrations and the videos of the demo. */
export async function bundleServer(outdir) {
  const esbuild = await import('esbuild')
  for (const name of existsSync(outdir) ? readdirSync(outdir) : [])
    if (/^chunk-.*\.mjs(\.map)?$|^template-key$/.test(name)) rmSync(join(outdir, name))
  try {
    await esbuild.build(optionsFor(outdir))
  } finally {
    // The helper process of esbuild would run as long as `npm start`.
    await esbuild.stop()
  }
  for (const folder of ['migrations', 'demo/videos']) {
    const copy = join(outdir, folder.split('/').at(-1))
    rmSync(copy, { recursive: true, force: true })
    cpSync(at('apps/server/src', folder), copy, { recursive: true })
  }
  writeLicences(at(), join(outdir, 'licences.json'))
}

const optionsFor = (outdir) => ({
  absWorkingDir: at(),
  entryPoints: {
    server: 'apps/server/src/main.ts',
    cli: 'apps/server/src/cli/main.ts',
    'hash-worker': 'apps/server/src/core/storage/hash-worker.ts',
    'probe-worker': 'apps/server/src/modules/advertise/ads/probe-worker.ts',
    'table-worker': 'apps/server/src/core/spreadsheet/table-worker.ts',
  },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Dynamic imports stay in separate chunks. Chunks are placed beside the entries, where code resolves shipped
  // files.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  target: 'node22',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  minifyWhitespace: true,
  legalComments: 'none',
  plugins: [builtinsAsTheyAre],
  // External: native code, and a package that reads fonts from its own directory.
  external: ['@node-rs/argon2', 'pg-native', 'sharp', 'svg-captcha'],
  banner: {
    js: "import { createRequire as oms_require } from 'node:module'; const require = oms_require(import.meta.url);",
  },
})

/**
 * Replaces namespace imports of built-in modules by objects. A namespace import reads every export, and some getters
 * load whole subsystems (`http.WebSocket`, `fs.promises`), which slows down the start.
 */
const builtinsAsTheyAre = {
  name: 'builtins-as-they-are',
  setup(build) {
    const names = new RegExp(`^(?:node:)?(?:${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`)
    build.onResolve({ filter: names }, ({ path, kind }) =>
      kind === 'import-statement'
        ? { path: path.replace(/^node:/, ''), namespace: 'builtin' }
        : { path, external: true },
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}')`,
      loader: 'js',
    }))
  },
}

// `node scripts/bundle.mjs <directory>`: tests run the shipped bundle instead of the sources.
if (import.meta.main) await bundleServer(resolve(process.argv[2] ?? at('dist')))
