import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const MODULES = join(import.meta.dirname, '../../modules')
const PANEL = /<(StatPanel|StatBlock)\b[\s\S]*?<\/\1>/g
const CHART = /<(?:Chart|ProblemBars)\b/

test('each statistics panel with a chart declares the height of its skeleton', () => {
  const panels = globSync('**/*.tsx', { cwd: MODULES }).flatMap((file) =>
    [...readFileSync(join(MODULES, file), 'utf8').matchAll(PANEL)]
      .filter(([panel]) => CHART.test(panel))
      .map(([panel]) => ({
        file,
        title: /title=("[^"]+"|\{[^}]+\})/.exec(panel)?.[1],
        isSized: / chart=\{/.test(panel),
      })),
  )
  expect(panels.length).toBeGreaterThan(12)
  expect(panels.filter(({ isSized }) => !isSized)).toEqual([])
})
