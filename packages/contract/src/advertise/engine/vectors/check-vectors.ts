import type { KnownObstacles } from '../conflicts/because.ts'
import type { Manifest } from '../manifest.ts'
import { findPlayingAt, listSlotsBetween } from '../playing.ts'
import type { ScreenState } from '../program.ts'
import { computeFnv1a } from '../random.ts'
import vectors from './vectors.json' with { type: 'json' }

/** Inputs of one frozen test vector. */
export interface VectorInput {
  readonly name: string
  readonly manifest: Manifest
  readonly from: number
  readonly to: number
  readonly state?: ScreenState
  readonly known?: KnownObstacles
  /** Instants for which the vector contains the slot and the reasons. */
  readonly moments: readonly number[]
}

/** Planned slots as `[start, ms, programId, itemId, cycle, slot, hold]`; the first ones, and a hash of all. */
export interface VectorOutput {
  readonly count: number
  readonly hash: number
  readonly first: readonly (readonly number[])[]
  readonly playing: readonly { readonly rule: string; readonly row: readonly number[]; readonly because: string }[]
}

export interface Vector extends VectorInput {
  readonly expected: VectorOutput
}

const FIRST_SLOTS = 12

/** Computes the output of a vector with the engine of this build. */
export function computeVector({ manifest, from, to, state, known, moments }: VectorInput): VectorOutput {
  const rows = [...listSlotsBetween(manifest, from, to, state)].map(rowOf)
  const playing = moments.map((instant) => {
    const found = findPlayingAt(manifest, instant, state, known)
    const because = found.because.map(({ programId, text }) => `${programId} ${text}`).join('; ')
    return { rule: found.rule, row: [...rowOf(found), found.offsetMs], because }
  })
  return { count: rows.length, hash: computeFnv1a(rows.join('\n')), first: rows.slice(0, FIRST_SLOTS), playing }
}

type Slot =
  | ReturnType<typeof findPlayingAt>
  | (ReturnType<typeof listSlotsBetween> extends Generator<infer T> ? T : never)
const rowOf = ({ start, ms, program, item, cycle, slot, hold }: Slot) => [
  start,
  ms,
  program?.id ?? 0,
  item?.id ?? 0,
  cycle,
  slot,
  hold ? 1 : 0,
]

/** Returns the names of the frozen vectors that the engine of this build computes differently. */
export function listFailedVectors(): string[] {
  return (vectors as unknown as Vector[])
    .filter((vector) => JSON.stringify(computeVector(vector)) !== JSON.stringify(vector.expected))
    .map(({ name }) => name)
}
