import { expect, test } from 'vitest'
import { limitParallel } from './limit-parallel.ts'

test('runs at most two tasks at the same time, also after a failure, and returns all results', async () => {
  const run = limitParallel(2)
  let running = 0
  let most = 0
  const work = (result: number) =>
    run(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running -= 1
      if (result === 1) throw new Error('failed')
      return result
    })
  const answers = await Promise.allSettled([0, 1, 2, 3, 4].map(work))
  expect(most).toBe(2)
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'failed'))).toEqual([
    0,
    'failed',
    2,
    3,
    4,
  ])
})
