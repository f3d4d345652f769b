import { type ProgramChoice, choosePlaying, divideTimeBetweenPrograms } from '../choose.ts'
import type { ManifestProgram } from '../manifest.ts'
import { type CompiledProgram, isDefault, isTakeover } from '../program.ts'
import type { WindowPart } from '../windows.ts'

/** Reason why other programs keep a program from playing. */
export interface BlockingProgram {
  readonly obstacle: 'lowerPriority' | 'noShareLeft' | 'takenOver'
  readonly by: ManifestProgram
}

/** Returns the program that keeps a program from playing, or null. `due` and `choice` are those of one moment. */
export function findBlockingProgram(
  compiled: CompiledProgram,
  due: readonly WindowPart[],
  choice: ProgramChoice,
): BlockingProgram | null {
  const { program } = compiled
  const isTaken = choice.rule === 'takeover' || choice.rule === 'once'
  const takeover = isTaken ? choice.streams[0]?.program : undefined
  if (isTakeover(compiled)) return takeover ? { obstacle: 'takenOver', by: takeover } : null
  const others = due.filter((piece) => !isTakeover(piece.compiled))
  const winner = choosePlaying(others).streams.find((stream) => stream.program !== program)?.program
  if (winner && isDefault(compiled)) return { obstacle: 'lowerPriority', by: winner }
  const { base, shares, total } = divideTimeBetweenPrograms(others)
  const higher = base[0]?.compiled.program
  if (higher && program.priority < higher.priority) return { obstacle: 'lowerPriority', by: higher }
  const isInBase = base.some((piece) => piece.compiled === compiled)
  if (isInBase && total >= 100 && shares[0]) return { obstacle: 'noShareLeft', by: shares[0].compiled.program }
  return takeover ? { obstacle: 'takenOver', by: takeover } : null
}
