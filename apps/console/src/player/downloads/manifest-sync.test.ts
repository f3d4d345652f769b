import { expect, test } from 'vitest'
import { planOf, useScreens } from './manifest-sync-fixture.ts'

const { createScreen } = useScreens()

test('AD-07 the current manifest continues to play while no file of the new manifest is stored', async () => {
  const { stored, failed, take, swap } = createScreen()
  stored.add('old')
  expect(await take('old')).toBe('old')
  expect(await take('new1', 'new2')).toBe('old')
  for (const each of ['new1', 'new2']) failed.add(each)
  expect(swap()).toBe('old')
  stored.add('new1').add('new2')
  expect(swap()).toBe('new1,new2')
})

test('AD-07 a new manifest with a failed file replaces the current manifest when its other ads fill the time', async () => {
  const { stored, failed, take, swap } = createScreen()
  stored.add('old')
  await take('old')
  await take('new1', 'broken')
  failed.add('broken')
  expect(swap()).toBe('old')
  stored.add('new1')
  expect(swap()).toBe('new1,broken')
})

test('AD-07 a manifest without programs replaces the current manifest at once, so a withdrawn program ends', async () => {
  const { stored, take } = createScreen()
  stored.add('old')
  await take('old')
  expect(await take()).toBe('')
})

test('AD-07 a withdrawn program ends while another program waits for a failed file', async () => {
  const { sync, stored, failed, takePlan, swap } = createScreen()
  stored.add('a').add('b')
  await takePlan(planOf({ id: 1, ads: { 1: 'a' } }, { id: 2, ads: { 2: 'b' } }))
  await takePlan(planOf({ id: 2, verNo: 2, ads: { 2: 'broken' } }))
  expect(sync.manifest?.programs.map(({ id }) => id)).toEqual([1, 2])
  failed.add('broken')
  expect(swap()).toBe('')
  expect(sync.manifest?.programs.map(({ id, verNo }) => [id, verNo])).toEqual([[2, 1]])
  stored.add('broken')
  expect(swap()).toBe('broken')
})

test('AD-07 while a program waits for a failed file, it plays its earlier ads except disabled ads', async () => {
  const { sync, stored, failed, takePlan, swap } = createScreen()
  stored.add('a').add('b')
  failed.add('broken')
  await takePlan(planOf({ id: 1, ads: { 1: 'a', 2: 'b' } }))
  await takePlan(planOf({ id: 1, verNo: 2, ads: { 2: undefined, 3: 'broken' } }))
  expect(swap()).toBe('')
  expect(sync.manifest?.ads.map(({ id }) => id).toSorted()).toEqual([1])
  expect(sync.manifest?.programs[0]?.items.map(({ adId }) => adId)).toEqual([1])
})

test('AD-07 a new takeover whose file is stored starts although the file of another program failed', async () => {
  const { sync, stored, failed, takePlan } = createScreen()
  stored.add('a')
  failed.add('broken').add('missing')
  const changed = { id: 1, verNo: 2, ads: { 1: 'broken' } }
  const takeoverOf = (hash: string) => {
    const plan = planOf(changed, { id: 3, insertMode: 1, ads: { 3: hash } })
    plan.programs[1]!.dayParts = [{ start: '11:30', end: '12:30' }]
    return plan
  }
  await takePlan(planOf({ id: 1, ads: { 1: 'a' } }))
  expect(await takePlan(takeoverOf('missing'))).toBe('a')
  stored.add('news')
  await takePlan(takeoverOf('news'))
  expect(sync.manifest?.programs.map(({ id, verNo }) => [id, verNo])).toEqual([
    [1, 1],
    [3, 1],
  ])
})

test('AD-07 without a network, the pending manifest replaces the current manifest after the last planned play', async () => {
  const { now, stored, failed, takePlan } = createScreen()
  stored.add('a')
  failed.add('broken')
  const ending = planOf({ id: 1, ads: { 1: 'a' } })
  ending.programs[0]!.dateTo = '2026-11-26'
  await takePlan(ending)
  expect(await takePlan(planOf({ id: 1, verNo: 2, ads: { 1: 'broken' } }))).toBe('a')
  now.ms += 24 * 3_600_000
  expect(await takePlan(undefined)).toBe('broken')
})

test('AD-07 the complete manifest replaces the reduced manifest when the server sends its ETag again', async () => {
  const { sync, requests, stored, failed, takePlan, swap } = createScreen()
  stored.add('a').add('b')
  const first = planOf({ id: 1, ads: { 1: 'a' } }, { id: 2, ads: { 2: 'b' } })
  expect(await takePlan(first)).toBe('a,b')
  failed.add('broken')
  await takePlan(planOf({ id: 2, verNo: 2, ads: { 2: 'broken' } }))
  expect(swap()).toBe('')
  expect(await takePlan(first)).toBe('a,b')
  expect(sync.manifest?.programs.map(({ id }) => id)).toEqual([1, 2])
  expect(requests.map((tag) => tag ?? 'none')).toEqual(['none', 'a,b', 'broken'])
})

test('AD-07 a screen that the server refuses continues to play for 24 hours, then plays nothing until the server accepts the screen again', async () => {
  const { sync, stored, now, server, take } = createScreen()
  const hour = 3_600_000
  stored.add('old')
  await take('old')
  server.refuses = true
  await take('old')
  now.ms += 23 * hour
  await take('old')
  expect(sync.manifest?.ads).toHaveLength(1)
  now.ms += hour + 1
  expect(sync.manifest).toBeUndefined()
  // The 24 hours begin with the first refusal. Later refused polls do not extend them.
  await take('old')
  expect(sync.manifest).toBeUndefined()
  server.refuses = false
  await take('old')
  expect(sync.manifest?.ads).toHaveLength(1)
})

test('AD-07 a screen without a network continues to play for longer than 24 hours', async () => {
  const { sync, stored, now, take, takePlan } = createScreen()
  stored.add('old')
  await take('old')
  now.ms += 72 * 3_600_000
  await takePlan(undefined)
  expect(sync.manifest?.ads).toHaveLength(1)
})
