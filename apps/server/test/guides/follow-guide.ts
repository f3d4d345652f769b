import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isExpected, readGuide, runBlock, type ShellStep, stepsOf } from './device-guide.ts'

/** Runs `work` with a folder and the environment of a reader of a guide, and removes the folder. */
export async function asReader<T>(
  work: (run: (step: ShellStep, env?: Record<string, string>) => ReturnType<typeof runBlock>) => Promise<T>,
): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'oms-guide-'))
  const folder = join(base, 'reader')
  mkdirSync(folder)
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: 'C', TZ: 'Asia/Shanghai' }
  try {
    return await work((step, more) => runBlock({ folder, env: { ...env, ...more } }, step))
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Runs the shell blocks of a guide in their order. Expects that each succeeds and prints what the guide shows. */
export const followGuide = (name: string, fillIn: (command: string) => string) =>
  asReader(async (run) => {
    const steps = stepsOf(readGuide(name)).filter((step) => step.kind === 'shell')
    for (const step of steps) {
      const command = fillIn(step.command)
      const { output, status } = await run({ ...step, command })
      const expected = step.expected ?? ''
      if (!isPrinted(output, expected)) expect(output, command).toBe(expected)
      expect(status, `${command}\n${output}`).toBe(0)
    }
    return steps.length
  })

/** True when the output is what the guide shows; a line with `…` alone stands for any lines. */
function isPrinted(output: string, expected: string) {
  const [head = '', tail] = expected.split('\n…\n')
  if (tail === undefined) return isExpected(output, expected)
  const lines = output.trimEnd().split('\n')
  const first = head.split('\n').length
  const last = tail.split('\n').length
  return isExpected(lines.slice(0, first).join('\n'), head) && isExpected(lines.slice(-last).join('\n'), tail)
}
