import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stdSerializers } from 'pino'

const FRAME = /(file:\/\/[^\s()]+?\.mjs):(\d+):(\d+)/g
const maps = new Map<string, SourceMap | undefined>()

/** An error as the log keeps it, its stack in lines of the sources. Maps are read at the first error, not at the start. */
export function readableError(error: Error) {
  const plain = stdSerializers.err(error)
  return plain?.stack ? { ...plain, stack: readableStack(plain.stack) } : plain
}

/** Replaces places in a bundle by places in its sources, where a map beside the bundle knows them. */
export const readableStack = (stack: string) =>
  stack.replace(FRAME, (frame, url: string, line: string, column: string) => {
    const file = fileURLToPath(url)
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    return found && 'originalSource' in found && found.originalSource
      ? `${join(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : frame
  })

function mapOf(file: string) {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

function readMap(file: string) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    return undefined
  }
}
