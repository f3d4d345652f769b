import { expect, test } from 'vitest'
import { planOf, useScreens } from './manifest-sync-fixture.ts'

const { createScreen } = useScreens()

test('AD-07 a program whose new files do not fit keeps its earlier version; the other programs are updated', async () => {
  const { sync, stored, failed, takePlan, swap } = createScreen()
  for (const each of ['a', 'b', 'c']) stored.add(each)
  await takePlan(planOf({ id: 1, isLate: false, ads: { 1: 'a' } }, { id: 2, isLate: true, ads: { 2: 'b' } }))
  const next = [
    { id: 1, verNo: 2, isLate: false, ads: { 3: 'c' } },
    { id: 2, verNo: 2, isLate: true, ads: { 4: 'large' } },
  ]
  expect(await takePlan(planOf(...next))).toBe('a,b')
  expect(sync.manifest?.programs.map(({ verNo }) => verNo)).toEqual([1, 1])
  failed.add('large')
  // The server has no manifest with this content, so the screen reports no ETag.
  expect(swap()).toBe('')
  expect(sync.keepsEarlier).toBe(true)
  const mixed = sync.manifest
  expect(mixed?.programs.map(({ id, verNo }) => [id, verNo])).toEqual([
    [1, 2],
    [2, 1],
  ])
  expect(mixed?.programs[1]?.items.map(({ adId }) => adId)).toEqual([2])
  expect(mixed?.ads.map(({ id }) => id)).toContain(2)
  swap()
  expect(sync.manifest).toBe(mixed)
  stored.add('large')
  expect(swap()).toBe('c,large')
  expect(sync.keepsEarlier).toBe(false)
})

test('AD-07 an ad whose new file does not fit plays in its earlier version, only in the program that needs it', async () => {
  const { sync, stored, failed, takePlan, swap } = createScreen()
  for (const each of ['a', 'b', 'c']) stored.add(each)
  const early = (hash: string) => ({ id: 1, isLate: false, ads: { 1: hash } })
  await takePlan(planOf(early('a'), { id: 2, isLate: true, ads: { 2: 'b' } }))
  const plan = planOf(early('large'), { id: 2, verNo: 2, isLate: true, ads: { 3: 'c', 1: 'large' } })
  const ads = plan.ads.filter(({ id }, at, all) => all.findIndex((each) => each.id === id) === at)
  failed.add('large')
  await takePlan({ ...plan, ads: ads.map((ad) => (ad.id === 1 ? { ...ad, verNo: 2 } : ad)) })
  swap()
  expect(sync.manifest?.ads.map(({ id, verNo }) => [id, verNo])).toEqual([
    [3, 1],
    [1, 1],
  ])
  const items = sync.manifest?.programs.map((program) => [program.verNo, ...program.items.map(({ adId }) => adId)])
  expect(items).toEqual([
    [1, 1],
    [2, 3],
  ])
})

test('AD-07 a program whose new ads are all disabled does not play its earlier version', async () => {
  const { sync, stored, failed, takePlan, swap } = createScreen()
  stored.add('a').add('b')
  failed.add('large')
  await takePlan(planOf({ id: 1, isLate: false, ads: { 1: 'a' } }, { id: 2, isLate: true, ads: { 2: 'b' } }))
  const disabled = { id: 1, verNo: 2, isLate: false, ads: { 3: undefined } }
  await takePlan(planOf(disabled, { id: 2, verNo: 2, isLate: true, ads: { 4: 'large' } }))
  swap()
  expect(sync.manifest?.programs.map(({ id, verNo }) => [id, verNo])).toEqual([
    [1, 2],
    [2, 1],
  ])
})

test('AD-07 a file that does not fit does not stop later programs; programs with stored files play at once', async () => {
  const { sync, now, stored, failed, takePlan, swap } = createScreen()
  for (const each of ['a', 'c']) stored.add(each)
  // The screen plays nothing in the second half of the day.
  await takePlan(planOf({ id: 1, isLate: false, ads: { 1: 'a' } }))
  const large = { id: 1, verNo: 2, isLate: false, ads: { 2: 'large' } }
  expect(await takePlan(planOf(large))).toBe('a')
  expect(await takePlan(planOf(large, { id: 2, isLate: true, ads: { 3: 'c' } }))).toBe('')
  const versions = () => sync.manifest?.programs.map(({ id, verNo }) => [id, verNo])
  const mixed = [
    [1, 1],
    [2, 1],
  ]
  expect(versions()).toEqual(mixed)
  failed.add('large')
  swap()
  now.ms += 13 * 3_600_000
  swap()
  expect(versions()).toEqual(mixed)
  stored.add('large')
  expect(swap()).toBe('large,c')
})

test('AD-07 a screen without any play in the next 24 hours switches to a new manifest at once', async () => {
  const { takePlan } = createScreen()
  await takePlan(planOf({ id: 1, ads: { 1: 'lost' } }))
  expect(await takePlan(planOf({ id: 2, ads: { 2: 'new' } }))).toBe('new')
})
