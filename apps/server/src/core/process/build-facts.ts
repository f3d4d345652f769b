import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Dependency } from '@oms/contract/system/about.ts'
import * as z from 'zod'

const Facts = z.object({
  version: z.string(),
  build: z.string(),
  licence: z.string(),
  dependencies: z.array(Dependency),
})
export type BuildFacts = z.output<typeof Facts>

/** Paths of the file: next to the bundle in a build, or the output of the last build in the sources. */
const PLACES = ['licences.json', '../../../../../dist/licences.json']
const UNBUILT: BuildFacts = { version: '0.1.0', build: '', licence: '', dependencies: [] }
let known: BuildFacts | undefined

/** Returns the facts that the build wrote, read once. Sources without a build have no dependencies. */
export function buildFacts(): BuildFacts {
  known ??= PLACES.map((place) => readFacts(join(import.meta.dirname, place))).find(Boolean) ?? UNBUILT
  return known
}

/** Reads the file; undefined when missing or invalid. */
export function readFacts(file: string): BuildFacts | undefined {
  try {
    return Facts.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
