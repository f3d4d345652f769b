import { expect, test } from 'vitest'
import { splitAtMarkedWords } from './marked-words.ts'

test('an answer is split at its marked words, in upper and lower case', () => {
  expect(splitAtMarkedWords('我是OK的小明', ['ok', '小明'])).toEqual([
    { text: '我是', at: 0, isWord: false },
    { text: 'OK', at: 2, isWord: true },
    { text: '的', at: 4, isWord: false },
    { text: '小明', at: 5, isWord: true },
  ])
  expect(splitAtMarkedWords('a.c abc', ['a.c'])).toEqual([
    { text: 'a.c', at: 0, isWord: true },
    { text: ' abc', at: 3, isWord: false },
  ])
  expect(splitAtMarkedWords('你好', [])).toEqual([{ text: '你好', at: 0, isWord: false }])
  expect(splitAtMarkedWords('', ['你'])).toEqual([])
})
