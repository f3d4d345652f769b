import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { ProgramBody } from '../schema.ts'

/** Limits of one screen. */
export const MAX_PROGRAMS = 50
export const MAX_FILES = 500
export const MAX_BYTES = 8 * 1024 ** 3

/** A program of a screen. The id 0 belongs to content that is not stored. */
interface FittedProgram {
  readonly id: number
  readonly body: ProgramBody
}

/** Ranks content that is not stored yet after all stored programs, because the content will get the highest id. */
const rankOf = ({ id }: FittedProgram) => id || Number.MAX_SAFE_INTEGER

/** Sorts programs by rank, highest first, so that the limits of a screen remove the programs of the lowest rank. */
const byImportance = (a: FittedProgram, b: FittedProgram) =>
  Number(a.body.fallback > 0) - Number(b.body.fallback > 0) ||
  b.body.insertMode - a.body.insertMode ||
  b.body.priority - a.body.priority ||
  rankOf(a) - rankOf(b)

/**
 * Divides the programs of a screen into the programs within its limits (`kept`) and the programs that exceed the limits
 * (`left`). Returns the files of the kept programs by sha256.
 */
export function fitPrograms<P extends FittedProgram>(
  programs: readonly P[],
  filesOf: (adId: number) => readonly ManifestFile[],
): { kept: P[]; left: P[]; files: Map<string, ManifestFile> } {
  const files = new Map<string, ManifestFile>()
  const kept: P[] = []
  const left: P[] = []
  let bytes = 0
  for (const program of programs.toSorted(byImportance)) {
    const fresh = new Map<string, ManifestFile>()
    for (const { adId } of program.body.items)
      for (const file of filesOf(adId)) if (!files.has(file.sha256)) fresh.set(file.sha256, file)
    const size = [...fresh.values()].reduce((sum, file) => sum + file.size, 0)
    if (kept.length >= MAX_PROGRAMS || files.size + fresh.size > MAX_FILES || bytes + size > MAX_BYTES) {
      left.push(program)
      continue
    }
    kept.push(program)
    bytes += size
    for (const [sha256, file] of fresh) files.set(sha256, file)
  }
  return { kept, left, files }
}
