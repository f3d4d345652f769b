import { expect, test } from 'vitest'
import { formatReadyFiles } from '../screens/screen-cells.tsx'

test('a screen that has not yet received the new content shows no file count', () => {
  expect(formatReadyFiles(0, { readyFiles: 6, totalFiles: 6 })).toBe('')
  expect(formatReadyFiles(1, { readyFiles: 3, totalFiles: 12 })).toBe('3/12')
  expect(formatReadyFiles(2, { readyFiles: 0, totalFiles: 0 })).toBe('')
})
