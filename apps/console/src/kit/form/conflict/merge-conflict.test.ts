import { expect, test } from 'vitest'
import { isSameValue, listDifferences, mergeVersions } from './merge-conflict.ts'

const base = {
  id: 1,
  rev: 3,
  name: '甲',
  prompt: '你好',
  count: 1,
  on: 0,
  tags: ['a'],
  config: { url: 'x', model: 'm' },
}
const mine = { ...base, prompt: '你好，我是小智', count: '1', on: false, config: { url: 'x', model: 'n' }, secret: 's' }
const latest = { ...base, rev: 4, name: '乙', prompt: '您好', config: { url: 'y', model: 'm' } }
const versions = { base, mine, latest }
const NAMES = ['name', 'prompt', 'count', 'on', 'tags', 'config', 'secret']
const differences = () => listDifferences(versions, NAMES)

test('lists the differing fields with the side that changed each of them', () => {
  expect(differences().map(({ path, isMine, isTheirs }) => [path.join('.'), isMine, isTheirs])).toEqual([
    ['name', false, true],
    ['prompt', true, true],
    ['config.url', false, true],
    ['config.model', true, false],
  ])
})

test('without the opened record every difference counts as changed by both sides', () => {
  const found = listDifferences({ ...versions, base: undefined }, NAMES)
  expect(found.every(({ isMine, isTheirs }) => isMine && isTheirs)).toBe(true)
  expect(found).toHaveLength(4)
})

test('takes the latest value except of the kept fields, and keeps values that no record contains', () => {
  const kept = differences().flatMap(({ path, isMine }) => (isMine ? [path] : []))
  expect(mergeVersions(versions, kept)).toEqual({
    ...latest,
    prompt: '你好，我是小智',
    config: { url: 'y', model: 'n' },
    secret: 's',
  })
  expect(mergeVersions(versions, [])).toEqual({ ...latest, secret: 's' })
})

test('a nested field that the other person removed is cleared, and a kept one stays', () => {
  const removed = { ...versions, latest: { ...latest, config: { url: 'y' } } }
  expect(mergeVersions(removed, [])['config']).toStrictEqual({ url: 'y', model: undefined })
  expect(mergeVersions(removed, [['config', 'model']])['config']).toEqual({ url: 'y', model: 'n' })
})

test('values that a form shows alike are equal', () => {
  for (const [one, other] of [
    [7, '7'],
    [true, 1],
    [null, ''],
    [[], undefined],
    [{ a: 1, b: null }, { a: '1' }],
  ]) {
    expect(isSameValue(one, other)).toBe(true)
  }
  expect(isSameValue(['a', 'b'], ['b', 'a'])).toBe(false)
  expect(isSameValue(0, null)).toBe(false)
})
