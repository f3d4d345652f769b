import { expect, test } from 'vitest'
import { limitConcurrency } from './concurrency.ts'

/** Returns a task that the test ends by `end` or `fail`. */
function task(name: string, started: string[]) {
  const ends = Promise.withResolvers<string>()
  const run = () => {
    started.push(name)
    return ends.promise
  }
  return { run, end: () => ends.resolve(name), fail: () => ends.reject(new Error(name)) }
}

test('limitConcurrency runs the given number of tasks at a time, the others in their order of arrival', async () => {
  const started: string[] = []
  const limited = limitConcurrency(2, 10, () => new Error('overloaded'))
  const tasks = ['a', 'b', 'c', 'd'].map((name) => task(name, started))
  const results = tasks.map(({ run }) => limited(run))
  await expect.poll(() => started).toEqual(['a', 'b'])
  tasks[1]!.end()
  expect(await results[1]).toBe('b')
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
  tasks[0]!.fail()
  await expect(results[0]).rejects.toThrow('a')
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd'])
  tasks[2]!.end()
  tasks[3]!.end()
  expect(await Promise.all([results[2], results[3]])).toEqual(['c', 'd'])
})

test('limitConcurrency rejects tasks while too many wait, and accepts tasks again afterwards', async () => {
  const started: string[] = []
  const limited = limitConcurrency(1, 1, () => new Error('overloaded'))
  const [first, second, third] = ['a', 'b', 'c'].map((name) => task(name, started))
  const results = [limited(first!.run), limited(second!.run)]
  await expect(limited(third!.run)).rejects.toThrow('overloaded')
  first!.end()
  second!.end()
  expect(await Promise.all(results)).toEqual(['a', 'b'])
  third!.end()
  expect(await limited(third!.run)).toBe('c')
  expect(started).toEqual(['a', 'b', 'c'])
})
