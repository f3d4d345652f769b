import { expect, test } from 'vitest'
import { ApiError } from '#core/api/api-error.ts'
import { runBatch } from './batch.ts'

test('a batch operation limits concurrent calls, continues after failures and reports the failures in order', async () => {
  let running = 0
  let most = 0
  const counts: number[] = []
  const failures = await runBatch(
    [1, 2, 3, 4, 5, 6, 7],
    async (row) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 8 - row))
      running--
      if (row === 3) throw new ApiError(400, '第3行')
      if (row === 6) throw new TypeError('Failed to fetch')
    },
    (count) => counts.push(count),
    3,
  )
  expect(most).toBe(3)
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(failures).toEqual([
    { row: 3, reason: '第3行' },
    { row: 6, reason: '操作失败' },
  ])
})
