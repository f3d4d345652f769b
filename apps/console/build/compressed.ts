import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(js|css|html|svg|json)$/
const SMALLEST = 512

/** Writes `version.json`, and `.br` and `.gz` files beside every text file, so that the server never compresses. */
export function compressed(version: string): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir)
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'version.json', source: JSON.stringify({ version }) })
    },
    closeBundle: {
      sequential: true,
      order: 'post',
      handler: async () => {
        // The hook also runs after a failed build; compressing would hide the build's own error.
        const names = await readdir(folder, { recursive: true }).catch(() => [])
        await Promise.all(names.filter((each) => TEXT.test(each)).map((name) => compress(join(folder, name))))
      },
    },
  }
}

async function compress(path: string) {
  const bytes = await readFile(path)
  if (bytes.length < SMALLEST) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}
