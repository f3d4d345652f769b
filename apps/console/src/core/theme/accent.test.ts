import { computeContrast } from '@oms/contract/core/contrast.ts'
import { expect, test } from 'vitest'
import { computeAccentVariables } from './accent.ts'

test.each(['#155eef', '#0b1f4b', '#b42318', '#1a7f37', '#6941c6'])(
  'white text on the accent %s and its links are readable in both themes',
  (accent) => {
    for (const scheme of ['light', 'dark'] as const) {
      const variables = computeAccentVariables(accent, scheme)
      const primary = variables['--ant-color-primary'] as string
      expect(computeContrast(primary, '#ffffff')).toBeGreaterThanOrEqual(4.5)
      const page = scheme === 'light' ? '#ffffff' : '#151b23'
      expect(computeContrast(variables['--ant-color-link'] ?? primary, page)).toBeGreaterThanOrEqual(4.5)
    }
  },
)
