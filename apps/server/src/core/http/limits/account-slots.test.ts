import { expect, test } from 'vitest'
import { AccountSlots } from './call-limits.ts'

test('calls of one account wait for its own slots; calls of another account start at once', async () => {
  const slots = new AccountSlots(10)
  const started: string[] = []
  const gate = Promise.withResolvers<void>()
  const call = (uid: number, name: string) =>
    slots.run(uid, async () => {
      started.push(name)
      await gate.promise
      return name
    })
  const first = Array.from({ length: 20 }, (_, at) => call(1, `a${at}`))
  const other = call(2, 'b')
  await Promise.resolve()
  expect(started).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b'])
  gate.resolve()
  expect(await Promise.all(first)).toHaveLength(20)
  expect(await other).toBe('b')
})

test('an account with 500 waiting calls is refused with 429; a failed call frees its slot', async () => {
  const slots = new AccountSlots(2)
  const gate = Promise.withResolvers<void>()
  const calls = Array.from({ length: 501 }, () => slots.run(1, () => gate.promise))
  await expect(slots.run(1, async () => {})).rejects.toMatchObject({ status: 429 })
  gate.resolve()
  await Promise.all(calls)
  await expect(slots.run(1, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots.run(1, async () => 'free')).toBe('free')
})
