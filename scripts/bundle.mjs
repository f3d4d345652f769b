import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { writeLicences } from './licences.mjs'
import { at } from './runtime.mjs'

/** The server and the terminal's commands without sources, what loads late in chunks, with the migrations beside them. */
export async function bundleServer(outdir) {
  const esbuild = await import('esbuild')
  for (const name of existsSync(outdir) ? readdirSync(outdir) : [])
    if (/^chunk-.*\.mjs(\.map)?$|^furniture-key$/.test(name)) rmSync(join(outdir, name))
  await esbuild.build({
    absWorkingDir: at(),
    entryPoints: {
      server: 'apps/server/src/server.ts',
      cli: 'apps/server/src/cli.ts',
      'hash-worker': 'apps/server/src/kernel/files/hash-worker.ts',
    },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // What is imported when first needed stays out of the file every start reads. Chunks lie beside the entries, where
    // code looks for what is shipped with it.
    splitting: true,
    chunkNames: 'chunk-[hash]',
    target: 'node22',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    minifyWhitespace: true,
    legalComments: 'none',
    plugins: [builtinsAsTheyAre],
    // Native code, and a package that reads its fonts from its own folder.
    external: ['@node-rs/argon2', 'pg-native', 'svg-captcha'],
    banner: {
      js: "import { createRequire as oms_require } from 'node:module'; const require = oms_require(import.meta.url);",
    },
  })
  const migrations = join(outdir, 'migrations')
  rmSync(migrations, { recursive: true, force: true })
  cpSync(at('apps/server/src/db/migrations'), migrations, { recursive: true })
  writeLicences(at(), join(outdir, 'licences.json'))
}

/**
 * An `import` of a built-in module reads every name it exports, and some of those load whole subsystems when read
 * (`http.WebSocket`, `fs.promises`): a start pays for them though nobody asked. Taken as an object they stay asleep.
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

// `node scripts/bundle.mjs <folder>`: the tests kill and start what is shipped, not the sources.
if (import.meta.main) await bundleServer(resolve(process.argv[2] ?? at('dist')))
