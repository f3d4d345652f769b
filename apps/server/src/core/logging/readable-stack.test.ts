import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { formatError, formatStack } from './logger.ts'

const folder = mkdtempSync(join(tmpdir(), 'oms-stack-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Builds a bundle of one source file whose third line throws. */
async function bundle() {
  const outfile = join(folder, 'bundle.mjs')
  const contents = 'type Count = number\n\nexport const boom = (n: Count) => { throw new Error(`boom ${n}`) }\n'
  const stdin = { contents, loader: 'ts', sourcefile: 'boom.ts', resolveDir: folder } as const
  await build({ stdin, outfile, bundle: true, format: 'esm', sourcemap: true, logLevel: 'silent' })
  return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { boom(n: number): never }
}

test('a stack of the bundle is mapped to lines of the source', async () => {
  const { boom } = await bundle()
  const thrown = (() => {
    try {
      return boom(7)
    } catch (error) {
      return error as Error
    }
  })()
  const stack = thrown.stack?.replaceAll(/\(?(\/[^\s:]+\.mjs)/g, (_all, path: string) => pathToFileURL(path).href)
  expect(formatStack(stack ?? '')).toContain('boom.ts:3:')
  expect(formatError(thrown)).toMatchObject({ type: 'Error', message: 'boom 7' })
})

test('a location without a source map is kept unchanged', () => {
  const stack = 'Error: x\n    at f (file:///nowhere/x.mjs:1:2)'
  expect(formatStack(stack)).toBe(stack)
})
