import { expect, test } from 'vitest'
import { ImportRun } from './import-run.ts'

test('after another file is chosen, the response for the first file is outdated and the new response counts', () => {
  const run = new ImportRun()
  const isCurrentA = run.begin()
  expect(isCurrentA()).toBe(true)
  run.outdate()
  expect(isCurrentA()).toBe(false)
  const isCurrentB = run.begin()
  expect([isCurrentA(), isCurrentB()]).toEqual([false, true])
})

test('retries of the same file share an idempotency key, and another file gets a new key', () => {
  const run = new ImportRun()
  const { key } = run
  run.begin()
  expect(run.key).toBe(key)
  run.outdate()
  expect(run.key).not.toBe(key)
})
