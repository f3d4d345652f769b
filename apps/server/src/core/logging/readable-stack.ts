import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorRecord, toErrorRecord } from './error-record.ts'

const FRAME = /(file:\/\/[^\s()]+?\.mjs):(\d+):(\d+)/g
const maps = new Map<string, SourceMap | undefined>()

/** Returns the log record of an error with source locations in its stack. Source maps are loaded at the first error. */
export function formatError(error: unknown) {
  return withReadableStacks(toErrorRecord(error))
}

function withReadableStacks(record: ErrorRecord): ErrorRecord {
  return {
    ...record,
    ...(record.stack && { stack: formatStack(record.stack) }),
    ...(record.cause && { cause: withReadableStacks(record.cause) }),
    ...(record.errors && { errors: record.errors.map(withReadableStacks) }),
  }
}

/** Replaces locations in a bundle by source locations when the bundle has a source map. */
export const formatStack = (stack: string) =>
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
